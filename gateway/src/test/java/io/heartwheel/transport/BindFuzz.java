package io.heartwheel.transport;

import java.nio.charset.StandardCharsets;

/** An address to bind: refused, or the same after writing and reading it again. */
public final class BindFuzz {
    private BindFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        BindAddress address;
        try {
            address = BindAddress.parse(text);
        } catch (IllegalArgumentException refused) {
            return;
        }
        if (!BindAddress.parse(address.toString()).equals(address)) {
            throw new AssertionError(text + " became " + address);
        }
    }
}
