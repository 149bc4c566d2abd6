#include "bench/harness/candidate.hpp"

#include "bench/harness/cuda_device.hpp"

namespace tilespmv::bench {

template <Value V>
Candidate<V> make_candidate(Device& device, const std::string& specification, const std::string& selector,
                            std::optional<Accumulator> accumulator, const ProductKind& kind) {
    const auto chosen = choose_operator<V>(device.backend(), specification, accumulator);
    const Accumulator sums = chosen.accumulator;
    Candidate<V> candidate{specification, chosen.made_from == Form::tiles ? selector : "", sums, {}, kind};
    candidate.bind = [=, &device](const CsrMatrix<V>& a, std::span<const V> x) {
        return device.backend() == Backend::cpu
                   ? host_product_builder(chosen, selector, a, x, kind)
                   : cuda_product_builder(device, specification, selector, sums, a, x, kind);
    };
    return candidate;
}

#define TILESPMV_INSTANTIATE(V)                                                                                       \
    template Candidate<V> make_candidate(Device&, const std::string&, const std::string&, std::optional<Accumulator>, \
                                         const ProductKind&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bench
