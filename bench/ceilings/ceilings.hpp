// Measures this machine's ceilings, from which floors of kernels are computed.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace km {

/// CPU, all threads: copy_gbs (bytes read and written), read_gbs, fma_fp32_gflops, fma_fp64_gflops. Best of several passes.
nlohmann::ordered_json cpu_ceilings();

/// GPU: copy_gbs, read_gbs, fma_fp32_gflops, fma_fp64_gflops, tensor_tf32_gflops, tensor_bf16_gflops, upload_gbs and download_gbs (pinned),
/// upload_all_gbs (to several GPUs at once), launch_s (one of many queued launches), launch_sync_s (a launch and a wait), graph_launch_s. Null without
/// a GPU.
nlohmann::ordered_json gpu_ceilings();

}  // namespace km
