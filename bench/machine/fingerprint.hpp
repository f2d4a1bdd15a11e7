// What tells a machine from another of the same name: virtual machines share theirs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace km {

/// {model, caches, memory, gpu, host, boot} of this machine. `host` is a hash of /etc/machine-id and the host's name, never the name itself;
/// `boot` one of the kernel's boot id.
nlohmann::ordered_json fingerprint();

/// Four hex digits for what stays of a fingerprint as long as the machine does: all but memory and boot.
std::string short_fingerprint(const nlohmann::ordered_json& fingerprint);

/// The parts in which two fingerprints differ, memory by more than a twentieth. None for one host since one start, for virtual machines grow.
std::vector<std::string> differences(const nlohmann::ordered_json& recorded, const nlohmann::ordered_json& now);

}  // namespace km
