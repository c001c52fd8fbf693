# SPDX-License-Identifier: MIT
# `wavetile bench` and `wavetile tune`: their sources, and the short sequences of instructions, compiled for both targets and embedded.
wavetile_add_kernels(micro_kernels bench/micro.hip)

# These parts predict, for the command and for tests.
add_library(wt_bench_parts STATIC
  bench/bench_fields.c bench/bench_keep.c bench/bench_predict.c bench/bench_table.c bench/choice_figures.c bench/micro.c core/api_failed.c core/device.c core/device_memory.c core/folders.c core/read_file.c
  predict/predict.c predict/predict_attention.c predict/predict_experts.c predict/predict_gemm.c predict/predict_grouped.c predict/predict_rows.c
  predict/predict_scaled.c predict/predict_shape.c)
wt_host_options(wt_bench_parts)
target_compile_definitions(wt_bench_parts PRIVATE _GNU_SOURCE)
target_link_libraries(wt_bench_parts PRIVATE micro_kernels PUBLIC wt_tool_parts sim_core wavetile amdhip64 wt_hip_headers ${CMAKE_DL_LIBS})
target_sources(wavetile_tool PRIVATE bench/bench.c bench/binaries.c bench/bench_jobs.c bench/binaries_keep.c
  bench/binaries_predict.c bench/binaries_read.c bench/choice.c bench/choice_candidates.c bench/choice_layers.c bench/cliffs.c bench/cliffs_predict.c
  bench/cliffs_reasons.c bench/cliffs_table.c bench/bench_limits.c bench/bench_page.c bench/bench_report.c bench/bench_targets.c bench/bench_validation.c
  bench/speed.c bench/speed_blas.c bench/speed_calls.c bench/speed_start.c
  tune/tune.c tune/tune_search.c tune/tune_table.c)
target_link_libraries(wavetile_tool PRIVATE wt_bench_parts)
# These tables are read when no other is named.
wt_embed_text(wavetile_tool bench_tables
  bench_published_csv ${CMAKE_SOURCE_DIR}/docs/validation/published.csv
  bench_targets_csv ${CMAKE_SOURCE_DIR}/docs/validation/targets.csv
  bench_layers_csv ${CMAKE_SOURCE_DIR}/docs/validation/layers.csv
  bench_cliffs_csv ${CMAKE_SOURCE_DIR}/docs/validation/cliffs.csv)
