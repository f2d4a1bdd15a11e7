// Distinguishes machines of one name, such as virtual machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace km {

/// Returns {model, caches, memory, gpu, host, boot} of this machine. `host` is a hash of /etc/machine-id and the host's name; `boot` is a hash of
/// the kernel's boot id.
nlohmann::ordered_json fingerprint();

/// Four hex digits of the constant parts of a fingerprint: all but memory and boot.
std::string short_fingerprint(const nlohmann::ordered_json& fingerprint);

/// Returns the parts in which two fingerprints differ; memory by more than 5 %. Returns none for one host since one boot, because virtual machines
/// grow.
std::vector<std::string> differences(const nlohmann::ordered_json& recorded, const nlohmann::ordered_json& now);

}  // namespace km
