// Distinguishes machines of one name, such as virtual machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace km {

/// Returns {model, caches, memory, gpu, host, boot} of this machine. `host`: a hash of machine id and host name; `boot`: of the kernel's boot id.
nlohmann::ordered_json fingerprint();

/// Four hex digits of the constant parts of a fingerprint: all but memory and boot.
std::string short_fingerprint(const nlohmann::ordered_json& fingerprint);

/// Returns the parts in which two fingerprints differ; memory by more than 5 %. Memory may grow since one boot, as virtual machines do.
std::vector<std::string> differences(const nlohmann::ordered_json& recorded, const nlohmann::ordered_json& now);

}  // namespace km
