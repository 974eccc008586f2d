package io.heartwheel.config;

import io.heartwheel.auth.AuthSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/** A token file of any content: its first line is the token if it has a fitting length; no message shows it. */
public final class TokenFileFuzz {
    private static final Path FILE = ConfigFuzz.scratch("token");

    private TokenFileFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        Files.write(FILE, input);
        int end = 0;
        while (end < input.length && input[end] != '\n' && input[end] != '\r') {
            end++;
        }
        boolean fits = end >= AuthSettings.MIN_TOKEN && end <= AuthSettings.MAX_TOKEN;
        try {
            GatewaySettings settings = Loading.load(
                    null,
                    Map.of("heartwheel.auth.mode", "shared-token", "heartwheel.auth.token-file", FILE.toString()),
                    Map.of());
            byte[] token = Arrays.copyOf(input, end);
            if (!fits || !Arrays.equals(token, settings.auth().token())) {
                throw new AssertionError("a token of " + end + " bytes");
            }
        } catch (ConfigException mistake) {
            if (fits || mistake.problems().size() != 1) {
                throw new AssertionError(mistake);
            }
        }
    }
}
