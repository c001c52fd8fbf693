# SPDX-License-Identifier: MIT
# Builds `wavetile schedule` from its sources. JSON comes from the library that prof.cmake names.
target_sources(wavetile_tool PRIVATE
  schedule/schedule.c schedule/schedule_flow.c schedule/schedule_json.c schedule/schedule_names.c schedule/schedule_picture.c
  schedule/schedule_read.c schedule/schedule_text.c)
