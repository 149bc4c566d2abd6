#include "bench/harness/candidate.hpp"

#include "bench/harness/cuda_device.hpp"

namespace tilespmv::bench {

template <Value V>
Candidate<V> make_candidate(Device& device, const std::string& specification, const std::string& selector,
                            std::optional<Accumulator> accumulator) {
    const auto chosen = choose_operator<V>(device.backend(), specification, accumulator);
    const Accumulator sums = choose_accumulator<V>(device.backend(), accumulator);
    Candidate<V> candidate{specification, chosen.needs_tiles ? selector : "", sums, {}};
    candidate.bind = [=, &device](const CsrMatrix<V>& a, std::span<const V> x) {
        return device.backend() == Backend::cpu ? host_product_builder(chosen, selector, a, x)
                                                : cuda_product_builder(device, specification, selector, sums, a, x);
    };
    return candidate;
}

template Candidate<double> make_candidate(Device&, const std::string&, const std::string&, std::optional<Accumulator>);
template Candidate<float> make_candidate(Device&, const std::string&, const std::string&, std::optional<Accumulator>);

}  // namespace tilespmv::bench
