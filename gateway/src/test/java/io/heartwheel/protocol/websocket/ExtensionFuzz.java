package io.heartwheel.protocol.websocket;

import io.heartwheel.net.HttpError;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Offers of extensions: refused, or the same after writing and reading them again; what is agreed to is a valid offer itself. */
public final class ExtensionFuzz {
    private ExtensionFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        List<String> values = List.of(new String(input, StandardCharsets.ISO_8859_1).split("\n", -1));
        List<Extension> offers;
        try {
            offers = Extension.parse(values);
        } catch (HttpError refused) {
            return;
        }
        List<Extension> again =
                Extension.parse(offers.stream().map(ExtensionFuzz::written).toList());
        if (!again.equals(offers)) {
            throw new AssertionError(offers + " became " + again);
        }
        DeflateOffer chosen = DeflateOffer.choose(offers);
        if (chosen != null && (chosen.windowBits() < 8 || chosen.windowBits() > 15)) {
            throw new AssertionError(chosen);
        }
        if (chosen != null && DeflateOffer.choose(Extension.parse(List.of(chosen.answer()))) == null) {
            throw new AssertionError(chosen.answer());
        }
    }

    private static String written(Extension extension) {
        StringBuilder text = new StringBuilder(extension.name());
        for (Extension.Parameter parameter : extension.parameters()) {
            text.append(";").append(parameter.name());
            if (parameter.value() != null) {
                text.append("=\"").append(parameter.value()).append('"');
            }
        }
        return text.toString();
    }
}
