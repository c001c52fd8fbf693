// SPDX-License-Identifier: MIT
// Declares the commands that run a family of kernels: norm, rotary, softmax, cross-entropy, activation, the
// conversions to and from FP8 and MX formats, convolution, grouped products, layers of experts and others.
// Each is a table of tensors and options, a call of the C API, and a reference in float64; what they have in
// common is done here: reading and making inputs, memory of the device, timing, verification, files, reports
// and records.
#ifndef WT_TOOLS_FAMILY_H
#define WT_TOOLS_FAMILY_H

#include "core/api_failed.h"
#include "core/device.h"
#include "core/device_run.h"
#include "core/element.h"
#include "core/matrix_layout.h"
#include "core/npy.h"
#include "core/run_options.h"
#include "core/sizes.h"
#include "core/tool.h"
#include "scaled_operands.h"
#include "wavetile.h"

enum { FAMILY_MOST_TENSORS = 16, FAMILY_MOST_OPTIONS = 64, FAMILY_MOST_SHAPE = 4 };

typedef struct family family;
typedef struct family_job family_job;

typedef enum family_shape {
  FAMILY_MATRIX,     // rows x columns
  FAMILY_BLOCKS,     // rows x what the family's `width` says
  FAMILY_COLUMNS,    // a number for each column
  FAMILY_ROWS,       // a number for each row
  FAMILY_POSITIONS,  // a number for each row of a batch member
  FAMILY_ONE,        // one number
  FAMILY_OWN         // what the family's `dims` says
} family_shape;

// Says what the elements are.
typedef enum family_element {
  FAMILY_VALUE,   // of --dtype
  FAMILY_WEIGHT,  // of --type-weight
  FAMILY_RESULT,  // of --type-y
  FAMILY_F32,
  FAMILY_I32,  // whole numbers, exactly; in files int32 or int64
  FAMILY_CODE  // bytes: FP8, packed elements and E8M0 scales as they are stored
} family_element;

typedef struct family_tensor {
  const char *option;           // of its file; NULL: the tensor never is a file
  const char *argument, *help;  // of the option
  const char *name;             // in records
  family_shape shape;
  family_element element;
  bool output;
  bool backward;   // takes part in the backward pass only
  const char *ld;  // the option for the elements between the starts of rows; NULL: rows are packed
  const char *ld_help;
} family_tensor;

// Describes the worst element of an output.
typedef struct family_result {
  double ratio;          // the largest of error / bound; infinite when they cannot be compared
  double error, bound;   // of that element
  int64_t index;         // of that element, the first of several
  double largest_error;  // of all elements
} family_result;

// Describes a tensor of a job.
typedef struct family_data {
  const char *path;  // of its file; NULL: there is none
  long long ld;      // elements between the starts of rows, as the option says; 0: rows are packed
  bool wanted;       // takes part in the call
  // The tensor's, unless the family's own options change them.
  family_shape shape;
  family_element element;
  bool gaps_kept;  // an output: nothing was written between its rows
  const element_type *type;
  matrix_layout layout;
  npy_array values;  // what the device has, as numbers; data or integers
  void *device;
  family_result result;
} family_data;

struct family_job {
  const family *family;
  family_data tensors[FAMILY_MOST_TENSORS];
  // These are options.
  tool_sizes rows_option, columns_option;  // of random inputs
  const char *dtype, *type_weight, *type_y, *out_dtype;
  bool backward_option;  // --backward
  tool_run_options run_options;
  void *own;  // the family's own options
  // These belong to the run.
  const element_type *type, *type_of_weight, *type_of_result;
  bool files, backward;
  int rank;  // dimensions of matrices in files
  int64_t shape[FAMILY_MOST_SHAPE];
  int64_t rows, columns, positions;  // rows and columns of the matrices; rows of a batch member
  tool_device device;
  wt_context *context;
  char target[32];
  void *workspace;
  bool asks;  // `call` asks whether the C API takes the call, for tensors that are not there
  device_run run;
  bool verified;
  double *kept;              // family->kept numbers for each row, that the reference makes of them
  scaled_operands operands;  // what is multiplied, as reference_begin makes it
};

struct family {
  const char *name, *text;  // the subcommand; the help before the options
  const family_tensor *tensors;
  int tensor_count;
  int main;                               // the tensor whose file says what the shape is
  int (*main_of)(const family_job *job);  // which tensor that is, where options say so; NULL: always `main`
  bool has_backward, has_weight;          // whether there are --backward and --type-weight
  bool has_products;     // inputs are multiplied: --dtype is FP8, BF16 or F16, and --type-y another
  bool has_halves;       // --dtype is BF16 or F16
  bool has_bytes_alone;  // all tensors are of FAMILY_CODE: there is no --dtype
  bool has_chain;        // launches read what others wrote: predictions compute everything, too
  bool own_shape;        // the family's own options say the shape of random inputs
  // Writes the rows of its own options to the table, and returns their number. NULL: there are none.
  int (*options)(family_job *job, tool_option *table);
  // Checks its own options, and says which tensors take part (beside those that have files, and in random
  // runs those of the pass).
  int (*check)(family_job *job);
  // Sets the shape of random inputs. It is needed with own_shape.
  void (*make_shape)(family_job *job);
  // Returns the rows of a tensor of shape FAMILY_BLOCKS, which is a matrix then. 0, or NULL instead: it has
  // the main tensor's axes but the last.
  int64_t (*height)(const family_job *job, int tensor);
  // Returns the numbers in a row of a tensor of shape FAMILY_BLOCKS. NULL: there is none.
  int64_t (*width)(const family_job *job, int tensor);
  // Sets rank and shape of a tensor of shape FAMILY_OWN. NULL: there is none.
  void (*dims)(const family_job *job, int tensor, npy_array *out);
  // Returns the floating-point operations of a run. NULL: they do not count.
  double (*flops)(const family_job *job);
  // Takes the shape of the main tensor's file into rows and columns. NULL: rows along the last axis.
  int (*take_shape)(family_job *job);
  // Checks the shapes, and sets what of rows, columns and layouts the family says. No tensor has numbers yet
  // in random runs. NULL: nothing to do.
  int (*lay_out)(family_job *job);
  // Completes inputs: fills whole numbers that no file gives, and checks values. NULL: nothing to do.
  int (*complete)(family_job *job);
  // Call the C API: what must run before the pass of which the time counts (NULL: nothing), and that pass.
  int (*prepare)(family_job *job);
  bool call_needs_prepare;  // also where a prediction alone is wanted: `call` passes on what prepare makes
  int (*call)(family_job *job);
  // Makes job->operands for the reference, and returns false where there is no memory for them. NULL: the
  // reference does without.
  bool (*reference_begin)(family_job *job);
  // Compute the reference: row by row, with `scratch` numbers for each column as memory; then column by
  // column; then once. Each calls family_compare for the outputs it knows. The last two may be NULL.
  void (*reference_row)(family_job *job, int64_t row, double *scratch);
  void (*reference_column)(family_job *job, int64_t column);
  void (*reference_end)(family_job *job);
  int scratch, kept;
  // Adds the fields of its own options to a record. NULL: none.
  void (*describe)(const family_job *job, record *r);
};

// Runs the subcommand, and returns its exit code. `own` are the family's own options.
int family_main(const family *f, void *own, int argc, char **argv);

// Makes the inputs of a job, from files or random; what the C API refuses is refused before random numbers
// are made. The device must be open. This, family_run, family_verify and family_write return TOOL_OK, or
// report and return an exit code.
int family_make_inputs(family_job *job);
// Runs the job on its device, and takes the outputs.
int family_run(family_job *job);
// Asks the C API whether it takes the job's call. The tensors need shapes and layouts alone.
int family_check_call(family_job *job);
// Compares all outputs with the reference.
int family_verify(family_job *job);
bool family_passed(const family_job *job);
// Writes the outputs that have files: all are checked before the first is written.
int family_write(const family_job *job);
void family_report(const void *job);
void family_describe(const void *job, record *r);

// ---- for families

// Returns the tensor whose file says what the shape is.
int family_main_tensor(const family_job *job);
// Checks --gradient, whose value is `given` (NULL: it is left out): it chooses among the gradients of
// --backward. With files the options `outputs` do.
int family_check_gradient(const family_job *job, const char *given, const char *outputs);
// Return TOOL_OK, or report the refusal of the C API and return its exit code. The second is for a command
// whose options have other names for members (tool_api_failed_as).
int family_status(const family_job *job, wt_status status);
int family_status_as(const family_job *job, wt_status status, const tool_api_name *names, size_t count);
// Makes memory of the device that lives as long as the run, in job->workspace.
int family_workspace(family_job *job, size_t bytes);
// Returns the numbers of a tensor's row; NULL when the tensor does not take part.
const float *family_row(const family_job *job, int tensor, int64_t row);
// Compares elements `first` to `first + count - 1` of an output. It does nothing when the output does not
// take part. Where the definition gives NaN, both `want` and `bound` are NaN.
void family_compare(family_job *job, int tensor, int64_t first, int64_t count, const double *want,
                    const double *bound);
// Sets what a comparison wants of a number in f32 that is rounded once more, to the job's type. That is
// defined to the bit, as are NaN and infinities.
void family_want_exactly(const family_job *job, float number, double *want, double *bound);
// Returns an error bound with the rounding of a result to the tensor's type added.
double family_rounded(const family_job *job, int tensor, double want, double bound);
// Returns the activation of x; *slack is the error of its evaluation in f32.
double family_activated(wt_activation activation, double x, double *slack);
// Returns what the rounding of a sum of so many terms in f32 is at most, relative to the sum of their
// magnitudes (gemm/verify.h).
double family_sum_error(int64_t terms);

static const double family_u = 0x1p-24;  // the unit roundoff of f32

#endif
