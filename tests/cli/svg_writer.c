// SPDX-License-Identifier: MIT
// Tests the SVG writer: every shape as it should stand in the file, themes, legible colours, and failed
// writes. Argument: a folder for the pictures.
#include "core/svg.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

#include "check.h"
#include "core/read_file.h"

static char folder[4000];

static const char *in_folder(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// Returns the file as a string, which the caller frees; "" when it cannot be read.
static char *contents(const char *path) {
  size_t size;
  unsigned char *data = read_file(path, &size);
  char *text = calloc(size + 1, 1);
  if (data && text) memcpy(text, data, size);
  free(data);
  return text;
}

static void shapes_stand_in_order(void) {
  const svg_point points[] = {{0, 0}, {1.5, 2}, {1.0 / 3, -0.001}};
  char message[5000] = "";
  svg s;
  svg_begin(&s, 200, 100.25, "A & B", "<all>");
  svg_group_begin(&s, 10, -20, (svg_style){.stroke = SVG_INK, .title = "group"});
  svg_rect(&s, 1, 2, 3, 4, (svg_style){.fill = svg_category(0), .radius = 1.5, .title = "5 > 4"});
  svg_group_end(&s);
  svg_circle(&s, 1, 2, 3, (svg_style){.fill = SVG_FAINT, .stroke = SVG_RULE, .opacity = 0.5});
  svg_line(&s, 1, 2, 3, 4, (svg_style){.stroke = "#123456", .stroke_width = 2, .dash = "4 2"});
  svg_polyline(&s, points, 3, (svg_style){.stroke = SVG_INK});
  svg_path(&s, "M0 0L4 4z", (svg_style){.fill = SVG_PAPER});
  svg_text(&s, 5, 6, (svg_style){.anchor = SVG_END, .bold = true, .size = 9.5}, "%d < \"%s\"", 7, "x");
  svg_text(&s, 5, 6, (svg_style){.anchor = SVG_MIDDLE, .mono = true, .fill = "#abcdef", .title = "t"}, "m");
  CHECK(svg_write(&s, in_folder("shapes.svg"), message, sizeof message), "%s", message);
  svg_free(&s);

  static const char *const expected[] = {
      "width=\"200\" height=\"100.25\" viewBox=\"0 0 200 100.25\"",
      "<title>A &amp; B</title>",
      "<desc>&lt;all&gt;</desc>",
      "<style>@media (prefers-color-scheme: dark) {",
      "fill=\"#ffffff\" class=\"fill-paper\"/>",
      "<g transform=\"translate(10 -20)\" stroke=\"#1f2328\" class=\"stroke-ink\">\n<title>group</title>\n",
      "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" rx=\"1.5\" fill=\"#77AADD\"><title>5 &gt; "
      "4</title></rect>\n</g>\n",
      "<circle cx=\"1\" cy=\"2\" r=\"3\" fill=\"#636c76\" stroke=\"#d0d7de\" class=\"fill-faint "
      "stroke-rule\" "
      "opacity=\"0.5\"/>\n",
      "<line x1=\"1\" y1=\"2\" x2=\"3\" y2=\"4\" stroke=\"#123456\" stroke-width=\"2\" stroke-dasharray=\"4 "
      "2\"/>\n",
      "<polyline points=\"0,0 1.5,2 0.33,0\" ",
      "<path d=\"M0 0L4 4z\" fill=\"#ffffff\" class=\"fill-paper\"/>\n",
      "<text x=\"5\" y=\"6\" font-size=\"9.5\" text-anchor=\"end\" font-weight=\"600\" fill=\"#1f2328\" "
      "class=\"fill-ink\">7 &lt; &quot;x&quot;</text>\n",
      "text-anchor=\"middle\" font-family=\"ui-monospace",
      "fill=\"#abcdef\"><title>t</title>m</text>\n</svg>\n"};
  char *text = contents(in_folder("shapes.svg")), *at = text;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    char *found = strstr(at, expected[i]);
    CHECK(found, "%s is missing, or not in its place, in\n%s", expected[i], text);
    if (found) at = found;
  }
  free(text);
}

static void roles_have_a_dark_colour(void) {
  char *text = contents(in_folder("shapes.svg"));
  static const char *const roles[] = {SVG_PAPER, SVG_INK, SVG_FAINT, SVG_RULE};
  for (int i = 0; i < 4; ++i) {
    char rule[64];
    snprintf(rule, sizeof rule, ".fill-%s { fill: #", roles[i]);
    CHECK(strstr(text, rule), "%s", rule);
    snprintf(rule, sizeof rule, ".stroke-%s { stroke: #", roles[i]);
    CHECK(strstr(text, rule), "%s", rule);
  }
  free(text);
}

// Returns the relative luminance (WCAG 2.1).
static double luminance(const char *colour) {
  unsigned rgb[3] = {0};
  CHECK(sscanf(colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]) == 3, "%s is no colour", colour);
  double linear[3];
  for (int i = 0; i < 3; ++i) {
    const double c = rgb[i] / 255.0;
    linear[i] = c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
  }
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

static void text_is_legible_on_categories(void) {
  for (size_t i = 0; i < SVG_CATEGORIES; ++i) {
    const double contrast = (luminance(svg_category(i)) + 0.05) / (luminance(SVG_ON_CATEGORY) + 0.05);
    CHECK(contrast >= 4.5, "text on %s has a contrast of %.2f; WCAG asks for 4.5", svg_category(i), contrast);
    for (size_t j = 0; j < i; ++j)
      CHECK(strcmp(svg_category(i), svg_category(j)) != 0, "categories %zu and %zu are alike", i, j);
  }
  CHECK(strcmp(svg_category(SVG_CATEGORIES), svg_category(0)) == 0, "categories repeat");
}

static int files_in_folder(void) {
  int count = 0;
  DIR *directory = opendir(folder);
  while (directory && readdir(directory)) ++count;
  if (directory) closedir(directory);
  return count;
}

static void large_pictures_are_whole(void) {
  char message[5000] = "";
  svg s;
  svg_begin(&s, 10, 10, "many", "many");
  for (int i = 0; i < 20000; ++i) svg_rect(&s, i, i, 1, 1, (svg_style){.fill = SVG_INK});
  CHECK(svg_write(&s, in_folder("large.svg"), message, sizeof message), "%s", message);
  svg_free(&s);
  char *text = contents(in_folder("large.svg"));
  int count = 0;
  for (const char *at = text; (at = strstr(at, "<rect")); ++at) ++count;
  CHECK(count == 20001, "%d rectangles and the paper, of 20000", count - 1);
  free(text);
}

static void failures_leave_nothing(void) {
  char message[5000] = "";
  svg s;
  svg_begin(&s, 10, 10, "t", "d");
  const int before = files_in_folder();
  CHECK(!svg_write(&s, in_folder("nowhere/x.svg"), message, sizeof message), "a folder that does not exist");
  CHECK(strstr(message, "nowhere/x.svg: cannot be written") && strstr(message, "create it"), "%s", message);
  CHECK(!svg_write(&s, folder, message, sizeof message), "a folder's name");
  CHECK(strstr(message, "not a regular file"), "%s", message);
  s.failed = true;  // as after running out of memory
  svg_text(&s, 0, 0, (svg_style){0}, "late");
  CHECK(!svg_write(&s, in_folder("failed.svg"), message, sizeof message), "a picture that lost a part");
  CHECK(strstr(message, "does not fit into memory"), "%s", message);
  CHECK(files_in_folder() == before, "%d files were left", files_in_folder() - before);
  svg_free(&s);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  mkdir(folder, 0777);
  shapes_stand_in_order();
  roles_have_a_dark_colour();
  text_is_legible_on_categories();
  large_pictures_are_whole();
  failures_leave_nothing();
  return test_result();
}
