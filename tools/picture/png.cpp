#include "tools/picture/png.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <new>

#include <cairo/cairo.h>
#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv::tools {
namespace {

struct Destroy {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
    void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;
using FontOptions = std::unique_ptr<cairo_font_options_t, Destroy>;

void check(cairo_status_t status) {
    if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
    if (status != CAIRO_STATUS_SUCCESS) throw Error(fmt::format("PNG: Cairo: {}", cairo_status_to_string(status)));
}

Surface make_surface(double width, double height) {
    constexpr double most = 32767;  // of Cairo's images
    if (width > most || height > most) {
        throw Error(fmt::format("PNG of {:.0f} x {:.0f} pixels: no side can be longer than {:.0f}; take SVG", width,
                                height, most));
    }
    Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width)),
                                               static_cast<int>(std::ceil(height))));
    check(cairo_surface_status(surface.get()));
    return surface;
}

Surface surface_of(const Image& image) {
    Surface surface = make_surface(image.width(), image.height());
    unsigned char* data = cairo_image_surface_get_data(surface.get());
    const int stride = cairo_image_surface_get_stride(surface.get());
    for (int y = 0; y < image.height(); ++y) {
        auto* row = reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
        for (int x = 0; x < image.width(); ++x) {
            const Rgb c = image.at(x, y);
            row[x] = std::uint32_t{c.r} << 16 | std::uint32_t{c.g} << 8 | c.b;
        }
    }
    cairo_surface_mark_dirty(surface.get());
    return surface;
}

std::string file_of(cairo_surface_t* surface) {
    std::string file;
    const auto append = [](void* to, const unsigned char* data, unsigned size) {
        try {
            static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
        } catch (const std::bad_alloc&) {  // must not cross C
            return CAIRO_STATUS_NO_MEMORY;
        }
        return CAIRO_STATUS_SUCCESS;
    };
    check(cairo_surface_write_to_png_stream(surface, append, &file));
    return file;
}

class Painter {
public:
    explicit Painter(cairo_surface_t* surface) : context_(cairo_create(surface)) {
        set_color(kWhite);
        cairo_paint(cairo());
        const FontOptions options(cairo_font_options_create());
        cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);  // no colours at the edges of letters
        cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_SLIGHT);
        cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
        cairo_set_font_options(cairo(), options.get());
        check();
    }

    void operator()(const Picture::Rectangle& r) {
        cairo_rectangle(cairo(), r.x, r.y, r.width, r.height);
        set_color(r.color);
        cairo_fill(cairo());
    }

    void operator()(const Picture::Text& text) {
        cairo_select_font_face(cairo(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               text.style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(cairo(), text.style.size);
        cairo_text_extents_t extents;
        cairo_text_extents(cairo(), text.text.c_str(), &extents);
        const double before = text.style.anchor == Anchor::start ? 0 : text.style.anchor == Anchor::middle ? 0.5 : 1;
        cairo_save(cairo());
        cairo_translate(cairo(), text.x, text.y);
        cairo_move_to(cairo(), -before * extents.x_advance, 0);
        set_color(text.style.color);
        cairo_show_text(cairo(), text.text.c_str());
        cairo_restore(cairo());
        cairo_new_path(cairo());
    }

    void operator()(const Picture::Pixels& pixels) {
        const Surface surface = surface_of(pixels.image);
        cairo_set_source_surface(cairo(), surface.get(), pixels.x, pixels.y);
        cairo_pattern_set_filter(cairo_get_source(cairo()), CAIRO_FILTER_NEAREST);
        cairo_rectangle(cairo(), pixels.x, pixels.y, pixels.image.width(), pixels.image.height());
        cairo_fill(cairo());
    }

    /// Throws what went wrong since the beginning.
    void check() const { tools::check(cairo_status(cairo())); }

private:
    [[nodiscard]] cairo_t* cairo() const { return context_.get(); }

    void set_color(Rgb c) {
        constexpr double most = 255;
        cairo_set_source_rgb(cairo(), c.r / most, c.g / most, c.b / most);
    }

    Context context_;
};

}  // namespace

std::string png(const Picture& picture) {
    const Surface surface = make_surface(picture.width(), picture.height());
    Painter painter(surface.get());
    for (const auto& element : picture.elements()) std::visit(painter, element);
    painter.check();
    return file_of(surface.get());
}

std::string png(const Image& image) { return file_of(surface_of(image).get()); }

}  // namespace tilespmv::tools
