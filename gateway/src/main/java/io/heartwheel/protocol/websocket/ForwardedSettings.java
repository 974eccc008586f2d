package io.heartwheel.protocol.websocket;

import io.heartwheel.net.Networks;
import java.util.regex.Pattern;

/**
 * Trusted balancers that write the address of the client into a header of the request. Immutable; any thread.
 *
 * @param header its name, in lower case; it alone is looked at. {@value #RFC_7239} has that document's grammar, every other is a list of addresses
 * @param trusted where the balancers are, at least one network; what others write there is passed over
 */
public record ForwardedSettings(String header, Networks trusted) {
    private static final String RFC_7239 = "forwarded";
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,64}");

    /** Whether the header has the grammar of RFC 7239, and is not a list of addresses. */
    boolean isRfc7239() {
        return header.equals(RFC_7239);
    }

    /** Whether a header can be called this: lower case. */
    public static boolean isHeader(String name) {
        return NAME.matcher(name).matches();
    }
}
