package io.heartwheel.protocol.websocket;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Agreed parameters of an offered permessage-deflate, RFC 7692 section 7.1. There is never any context takeover. A smaller window than zlib's is
 * kept by compressing only what is no longer than the window, so no valid offer has to be declined.
 *
 * @param windowBits the window we may use, 8..15
 * @param isNamed whether the client asked for it, so that the answer must repeat it
 */
record DeflateOffer(int windowBits, boolean isNamed) {
    private static final String NAME = "permessage-deflate";
    private static final int MOST_BITS = 15;

    /** A decimal number of a window, without leading zero. */
    private static final Pattern BITS = Pattern.compile("[89]|1[0-5]");

    /** The first offer that we can keep, null if there is none. An offer with a parameter that is unknown, doubled or wrong is declined. */
    static @Nullable DeflateOffer choose(List<Extension> offers) {
        for (Extension offer : offers) {
            if (offer.name().equals(NAME)
                    && offer.hasDistinctParameters()
                    && offer.parameters().stream().allMatch(DeflateOffer::isKept)) {
                String bits = offer.value("server_max_window_bits");
                return bits == null
                        ? new DeflateOffer(MOST_BITS, false)
                        : new DeflateOffer(Integer.parseInt(bits), true);
            }
        }
        return null;
    }

    private static boolean isKept(Extension.Parameter parameter) {
        String value = parameter.value();
        return switch (parameter.name()) {
            case "server_no_context_takeover", "client_no_context_takeover" -> value == null;
            case "server_max_window_bits" ->
                value != null && BITS.matcher(value).matches();
            case "client_max_window_bits" ->
                value == null || BITS.matcher(value).matches();
            default -> false;
        };
    }

    /** The value of the answer's Sec-WebSocket-Extensions. */
    String answer() {
        String answer = NAME + "; server_no_context_takeover; client_no_context_takeover";
        return isNamed ? answer + "; server_max_window_bits=" + windowBits : answer;
    }
}
