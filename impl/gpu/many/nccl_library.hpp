// The functions of NVIDIA's NCCL that we call, found at run time in libnccl.so.2 (option KM_NCCL): the build needs neither its headers nor the library.
// Names, types and values are those of its documented C interface, which all versions 2.x share.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace km::nccl {

struct Communicator;  // ncclComm_t points to one

enum Result : int { success = 0 };         // ncclResult_t
enum Type : int { int32 = 2, int64 = 4 };  // ncclDataType_t
enum Operation : int { sum = 0 };          // ncclRedOp_t

struct UniqueId {
  std::int64_t words[16];  // ncclUniqueId: 128 bytes
};

struct Functions {
  Result (*init_all)(Communicator** made, int count, const int* devices);   // ncclCommInitAll
  Result (*unique_id)(UniqueId* made);                                      // ncclGetUniqueId
  Result (*init_rank)(Communicator** made, int count, UniqueId, int rank);  // ncclCommInitRank
  Result (*begin_group)();                                                  // ncclGroupStart
  Result (*end_group)();                                                    // ncclGroupEnd
  Result (*destroy)(Communicator*);                                         // ncclCommDestroy
  Result (*all_reduce)(const void* from, void* to, std::size_t count, Type, Operation, Communicator*, cudaStream_t);
  const char* (*error_text)(Result);               // ncclGetErrorString
  const char* (*last_error)(const Communicator*);  // ncclGetLastError
};

/// Returns why NCCL cannot be called, or "".
std::string missing();
/// Call only if nothing is missing.
const Functions& functions();
/// Throws std::runtime_error with NCCL's text.
void check(Result result, const char* call);

}  // namespace km::nccl
