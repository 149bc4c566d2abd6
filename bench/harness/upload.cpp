#include "bench/harness/upload.hpp"

#include <algorithm>

#include "bench/harness/cuda_device.hpp"
#include "tile/csr.hpp"

namespace tilespmv::bench {
namespace {

class HostUpload final : public Upload {
public:
    explicit HostUpload(HostArrays arrays) : arrays_(std::move(arrays)) {
        for (const auto& array : arrays_) copies_.emplace_back(array.size());
    }
    void copy() override {
        for (std::size_t i = 0; i < arrays_.size(); ++i) std::ranges::copy(arrays_[i], copies_[i].begin());
    }

private:
    HostArrays arrays_;
    std::vector<Buffer<std::byte>> copies_;
};

}  // namespace

std::unique_ptr<Upload> make_upload(Device& device, HostArrays arrays) {
    if (device.backend() == Backend::cuda) return make_cuda_upload(device, std::move(arrays));
    return std::make_unique<HostUpload>(std::move(arrays));
}

}  // namespace tilespmv::bench
