package io.heartwheel.outlet.nats;

import io.heartwheel.nats.DeviceTokens;
import io.heartwheel.outlet.OutletEvent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Template of the subject of an event. {@code {kind}} stands for the kind of the event; {@code {hash}} for one of 256 shares of the devices, two hexadecimal digits;
 * {@code {device}} for the device's id in base64url. The latter two are {@code -} for an event of no device. Immutable; any thread.
 *
 * @param text see {@link #isTemplate}
 */
public record SubjectTemplate(String text) {
    private static final Pattern TEMPLATE =
            Pattern.compile("(?!_INBOX)(([A-Za-z0-9_-]|\\{(kind|hash|device)\\})+(\\.(?!$)|$))+");
    private static final int MOST_CHARACTERS = 128;
    private static final String NO_DEVICE = "-";

    /** Whether this is one: 1..128 characters, tokens of letters, digits, underscores, hyphens and the three words, dots between them. */
    public static boolean isTemplate(String text) {
        return text.length() <= MOST_CHARACTERS && TEMPLATE.matcher(text).matches();
    }

    /** The subject of an event. */
    String of(OutletEvent event) {
        String subject = text.replace("{kind}", event.kind().label());
        if (event.device().isEmpty()) {
            return subject.replace("{hash}", NO_DEVICE).replace("{device}", NO_DEVICE);
        }
        byte[] id = event.device().getBytes(StandardCharsets.UTF_8);
        if (subject.contains("{hash}")) {
            subject = subject.replace("{hash}", DeviceTokens.hash(id));
        }
        return subject.contains("{device}") ? subject.replace("{device}", DeviceTokens.whole(id)) : subject;
    }

    /** What a stream has to take so that it gets all of them. */
    String wildcard() {
        return Arrays.stream(text.split("\\."))
                .map(token -> token.contains("{") ? "*" : token)
                .collect(Collectors.joining("."));
    }
}
