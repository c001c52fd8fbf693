// SPDX-License-Identifier: MIT
// Programs compiled at run time: options, headers by name, lowered names of templates and variables, the log
// of an error, bitcode linked into one code object; and what is refused. With the argument "refused", the
// compiler's command cannot be found.
#include <hip/hiprtc.h>

#include "hip_capture.h"

hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t *size);
hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char *out);
hiprtcResult hiprtcLinkCreate(unsigned count, int *options, void **values, void **out);
hiprtcResult hiprtcLinkAddData(void *link, int type, void *image, size_t size, const char *name,
                               unsigned count, int *options, void **values);
hiprtcResult hiprtcLinkAddFile(void *link, int type, const char *path, unsigned count, int *options,
                               void **values);
hiprtcResult hiprtcLinkComplete(void *link, void **code, size_t *size);
hiprtcResult hiprtcLinkDestroy(void *link);
enum { BITCODE = 100 };

#define GIVES(want, call)                                                                  \
  do {                                                                                     \
    const hiprtcResult result_ = (call);                                                   \
    CHECK(result_ == (want), #call " gave %s, expected %s", hiprtcGetErrorString(result_), \
          hiprtcGetErrorString(want));                                                     \
  } while (0)
#define RTC(call) GIVES(HIPRTC_SUCCESS, call)

static const char source[] =
    "#include \"lib/factor.h\"\n"
    "namespace inner { template <typename T> __global__ void scale(T *p, T by) { p[threadIdx.x] *= by * "
    "FACTOR; } }\n"
    "__device__ int variable = ADDEND;\n"
    "static_assert(sizeof(hipFloatComplex) == 8 && warpSize == 64);\n"
    "extern \"C\" __global__ void add(int *p) { p[threadIdx.x] += variable; }\n";

static void *load(hiprtcProgram program, hipModule_t *module) {
  size_t size = 0;
  RTC(hiprtcGetCodeSize(program, &size));
  CHECK(size > 0, "there is code");
  void *code = malloc(size);
  RTC(hiprtcGetCode(program, code));
  OK(hipModuleLoadData(module, code));
  return code;
}

static void launch(hipModule_t module, const char *name, void **arguments) {
  hipFunction_t f;
  OK(hipModuleGetFunction(&f, module, name));
  OK(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
  OK(hipDeviceSynchronize());
}

static void a_program_is_compiled_and_runs(void) {
  hiprtcProgram program;
  const char *header = "#define FACTOR 3\n", *header_name = "lib/factor.h";
  const char *options[] = {"-DADDEND=5", "--std=c++17"};
  const char *scale, *variable;
  RTC(hiprtcCreateProgram(&program, source, "named.hip", 1, &header, &header_name));
  RTC(hiprtcAddNameExpression(program, "inner::scale<int>"));
  RTC(hiprtcAddNameExpression(program, "&variable"));
  GIVES(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION,
        hiprtcGetLoweredName(program, "inner::scale<int>", &scale));
  RTC(hiprtcCompileProgram(program, 2, options));
  GIVES(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, hiprtcAddNameExpression(program, "add"));
  RTC(hiprtcGetLoweredName(program, "inner::scale<int>", &scale));
  RTC(hiprtcGetLoweredName(program, "&variable", &variable));
  GIVES(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID, hiprtcGetLoweredName(program, "add", &variable));
  CHECK(!strcmp(scale, "_ZN5inner5scaleIiEEvPT_S1_") && !strcmp(variable, "variable"), "names %s, %s", scale,
        variable);
  hipModule_t module;
  void *code = load(program, &module);
  int *p, by = 2;
  OK(hipHostMalloc((void **)&p, 64 * sizeof *p, 0));
  for (int i = 0; i < 64; ++i) p[i] = i;
  launch(module, scale, (void *[]){&p, &by});
  launch(module, "add", (void *[]){&p});
  int wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += p[i] != i * 2 * 3 + 5;
  CHECK(wrong == 0, "%d results are wrong", wrong);
  OK(hipHostFree(p));
  OK(hipModuleUnload(module));
  free(code);
  RTC(hiprtcDestroyProgram(&program));
  CHECK(program == NULL, "the handle is gone");
}

// The last one counts. The machine is the low byte of an ELF header's flags (LLVM AMDGPUUsage).
static void an_architecture_is_part_of_its_option_or_follows_it(void) {
  enum { FLAGS = 48, GFX942 = 0x4c, GFX950 = 0x4f };
  static const struct {
    const char *options[3];
    int count, machine;
  } cases[] = {{{"--offload-arch", "gfx942"}, 2, GFX942},
               {{"--gpu-architecture", "gfx950"}, 2, GFX950},
               {{"--offload-arch=gfx950"}, 1, GFX950},
               {{"-arch=gfx950", "--gpu-architecture", "gfx942"}, 3, GFX942}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hiprtcProgram program;
    size_t size = 0;
    const char *options[3];
    memcpy(options, cases[i].options, sizeof options);
    RTC(hiprtcCreateProgram(&program, "__global__ void f() {}", NULL, 0, NULL, NULL));
    RTC(hiprtcCompileProgram(program, cases[i].count, options));
    RTC(hiprtcGetCodeSize(program, &size));
    char *code = calloc(1, size + FLAGS + 1);
    RTC(hiprtcGetCode(program, code));
    CHECK((uint8_t)code[FLAGS] == cases[i].machine, "%s: machine %#x, not %#x", options[0],
          (unsigned)(uint8_t)code[FLAGS], (unsigned)cases[i].machine);
    free(code);
    RTC(hiprtcDestroyProgram(&program));
  }
}

// The compiler works elsewhere.
static void include_folders_are_seen_from_the_programs_folder(void) {
  char folder[] = "rtc-headers-XXXXXX", joined[64], path[64];
  CHECK(mkdtemp(folder) != NULL, "a folder for the header");
  snprintf(joined, sizeof joined, "-I./%s", folder);
  snprintf(path, sizeof path, "%s/near.h", folder);
  FILE *file = fopen(path, "w");
  CHECK(file && fputs("#define NEAR 1\n", file) >= 0 && fclose(file) == 0, "the header is written");
  const char *ways[][2] = {{joined, "-w"}, {"-I", folder}, {"-isystem", folder}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    hiprtcProgram program;
    RTC(hiprtcCreateProgram(&program, "#include <near.h>\n__device__ int near = NEAR;\n", NULL, 0, NULL,
                            NULL));
    CHECK(hiprtcCompileProgram(program, 2, ways[i]) == HIPRTC_SUCCESS, "%s %s", ways[i][0], ways[i][1]);
    RTC(hiprtcDestroyProgram(&program));
  }
  unlink(path);
  rmdir(folder);
}

static void an_error_is_in_the_log(void) {
  hiprtcProgram program;
  size_t size = 0;
  RTC(hiprtcCreateProgram(&program, "__global__ void f() { undeclared_thing(); }", "bad.hip", 0, NULL, NULL));
  GIVES(HIPRTC_ERROR_COMPILATION, hiprtcCompileProgram(program, 0, NULL));
  RTC(hiprtcGetProgramLogSize(program, &size));
  char *log = calloc(1, size + 1);
  RTC(hiprtcGetProgramLog(program, log));
  CHECK(size == strlen(log) + 1, "the size counts the final zero: %zu, %zu", size, strlen(log));
  CHECK(strstr(log, "bad.hip:1") && strstr(log, "undeclared_thing"), "the log is: %s", log);
  GIVES(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCodeSize(program, &size));
  free(log);
  RTC(hiprtcDestroyProgram(&program));
}

static char *bitcode_of(const char *text, size_t *size) {
  hiprtcProgram program;
  const char *options[] = {"-fgpu-rdc"};
  RTC(hiprtcCreateProgram(&program, text, NULL, 0, NULL, NULL));
  RTC(hiprtcCompileProgram(program, 1, options));
  RTC(hiprtcGetBitcodeSize(program, size));
  char *bitcode = malloc(*size);
  RTC(hiprtcGetBitcode(program, bitcode));
  RTC(hiprtcDestroyProgram(&program));
  return bitcode;
}

static void bitcode_is_linked(void) {
  size_t sizes[2], size;
  char *parts[] = {
      bitcode_of("__device__ int seven() { return 7; }", &sizes[0]),
      bitcode_of("__device__ int seven();\nextern \"C\" __global__ void store(int *p) { *p = seven(); }",
                 &sizes[1])};
  void *link, *code;
  RTC(hiprtcLinkCreate(0, NULL, NULL, &link));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(link, 1, parts[0], sizes[0], "", 0, NULL, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddFile(link, 1, "/nonexistent/x.bc", 0, NULL, NULL));
  GIVES(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE,
        hiprtcLinkAddFile(link, BITCODE, "/nonexistent/x.bc", 0, NULL, NULL));
  for (int i = 0; i < 2; ++i)
    RTC(hiprtcLinkAddData(link, BITCODE, parts[i], sizes[i], "part", 0, NULL, NULL));
  RTC(hiprtcLinkComplete(link, &code, &size));
  hipModule_t module;
  int *p;
  OK(hipModuleLoadData(&module, code));
  RTC(hiprtcLinkDestroy(link));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkDestroy(link));
  OK(hipHostMalloc((void **)&p, sizeof *p, 0));
  launch(module, "store", (void *[]){&p});
  CHECK(*p == 7, "the linked kernel stores %d", *p);
  OK(hipHostFree(p));
  OK(hipModuleUnload(module));
  free(parts[0]), free(parts[1]);
}

// Compiles an empty kernel and gives what stands on standard error meanwhile.
static void compile_and_listen(int count, const char **options, char said[1024]) {
  hiprtcProgram program;
  RTC(hiprtcCreateProgram(&program, "extern \"C\" __global__ void nothing() {}", "nothing.hip", 0, NULL,
                          NULL));
  const hip_capture capture = capture_begin();
  const hiprtcResult result = hiprtcCompileProgram(program, count, options);
  capture_end(capture, said);
  CHECK(result == HIPRTC_SUCCESS, "it gave %s", hiprtcGetErrorString(result));
  RTC(hiprtcDestroyProgram(&program));
}

static void what_llvm_is_told_to_print_is_on_standard_error(void) {
  char said[1024];
  const char *options[] = {"-O3", "-mllvm", "-print-after=constmerge"};
  compile_and_listen(3, options, said);
  CHECK(strstr(said, "IR Dump After"), "it said: %s", said);
  compile_and_listen(1, options, said);
  CHECK(!*said, "without the option it said: %s", said);
}

static void wrong_calls_are_refused(void) {
  hiprtcProgram program, none = (hiprtcProgram)(void *)&program;
  const char *option = NULL;
  int major = 0, minor = -1;
  GIVES(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcCreateProgram(NULL, "", "", 0, NULL, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, NULL, "", 0, NULL, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, "", "", -1, NULL, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, "", "", 1, NULL, NULL));
  GIVES(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcCompileProgram(none, 0, NULL));
  GIVES(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcDestroyProgram(&none));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetBitcodeSize(none, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetBitcode(none, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetCode(none, NULL));
  GIVES(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCode(none, (char *)&major));
  RTC(hiprtcCreateProgram(&program, "", "", 0, NULL, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcAddNameExpression(program, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcCompileProgram(program, 1, NULL));
  GIVES(HIPRTC_ERROR_INVALID_INPUT, hiprtcCompileProgram(program, 1, &option));
  RTC(hiprtcDestroyProgram(&program));
  RTC(hiprtcVersion(&major, &minor));
  CHECK(major == 9 && minor == 0, "version %d.%d", major, minor);
  CHECK(!strcmp(hiprtcGetErrorString(HIPRTC_ERROR_INVALID_OPTION), "HIPRTC_ERROR_INVALID_OPTION"),
        "the name");
}

static void without_the_command_it_is_refused_by_name(void) {
  hiprtcProgram program;
  RTC(hiprtcCreateProgram(&program, "", "", 0, NULL, NULL));
  char said[1024];
  const hip_capture capture = capture_begin();
  const hiprtcResult result = hiprtcCompileProgram(program, 0, NULL);
  capture_end(capture, said);
  CHECK(result == HIPRTC_ERROR_INTERNAL_ERROR, "it gave %s", hiprtcGetErrorString(result));
  CHECK(strstr(said, "hiprtcCompileProgram is not available"), "it said: %s", said);
  RTC(hiprtcDestroyProgram(&program));
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "refused")) {
    without_the_command_it_is_refused_by_name();
    return test_result();
  }
  wrong_calls_are_refused();
  a_program_is_compiled_and_runs();
  an_architecture_is_part_of_its_option_or_follows_it();
  include_folders_are_seen_from_the_programs_folder();
  an_error_is_in_the_log();
  what_llvm_is_told_to_print_is_on_standard_error();
  bitcode_is_linked();
  return test_result();
}
