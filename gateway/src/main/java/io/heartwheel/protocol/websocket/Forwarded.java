package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.IpAddress;
import io.heartwheel.protocol.Networks;
import io.heartwheel.protocol.Origin;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.SourceGate;
import io.heartwheel.protocol.websocket.ForwardedCounts.Outcome;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a request comes from in what balancers wrote into it ({@code X-Forwarded-For}, or a header of the same form).
 *
 * <pre>
 *   X-Forwarded-For: 198.51.100.9, 203.0.113.7, 10.0.0.2        from 10.0.0.1, trusted is 10.0.0.0/8
 *                    |             |            +-- trusted: go on to its left
 *                    |             +-- the first that is not: the device
 *                    +-- whatever the device itself wrote: never looked at
 * </pre>
 *
 * Every hop appends whom it saw, so the list is believed from its right end as far as those who wrote it are trusted. If all of them are, the
 * device is the leftmost. Several lines of the header are one list. What cannot be read where it must be is refused, not guessed at.
 *
 * @param settings null: nothing is believed
 * @param counts told of each request
 * @param gate counts connections by the origin that was found
 */
public record Forwarded(@Nullable ForwardedSettings settings, ForwardedCounts counts, SourceGate gate) {
    /** Most balancers in a row. */
    private static final int MAX_HOPS = 32;

    private static final Pattern WITH_PORT = Pattern.compile("(?:\\[([^\\]]*)\\]|([0-9.]+))(?::([0-9]{1,5}))?");

    private record Hop(byte[] address, int port) {}

    /** Nobody is believed. */
    static Forwarded off() {
        return new Forwarded(null, new ForwardedCounts(), SourceGate.OPEN);
    }

    /** Looks at a request and tells the channel its origin. @throws ProtocolViolation if there is no room for one from there */
    void look(Channel channel, HttpHeaders headers) throws Refusal, ProtocolViolation {
        if (settings == null) {
            return;
        }
        List<String> lines = headers.getAll(settings.header());
        if (!settings.trusted().contains(Origin.address(channel))) {
            if (!lines.isEmpty()) {
                counts.add(Outcome.UNTRUSTED);
            }
        } else if (lines.isEmpty()) {
            counts.add(Outcome.ABSENT);
        } else {
            Hop device = device(String.join(",", lines), settings.trusted());
            counts.add(Outcome.TAKEN);
            Origin.tell(channel, device.address, device.port);
            gate.enter(channel, Origin.address(channel));
        }
    }

    private Hop device(String list, Networks trusted) throws Refusal {
        int end = list.length();
        for (int hops = 0; hops < MAX_HOPS; hops++) {
            int comma = list.lastIndexOf(',', end - 1);
            Hop hop = hop(list.substring(comma + 1, end).strip());
            if (hop == null) {
                throw malformed();
            }
            if (comma < 0 || !trusted.contains(hop.address)) {
                return hop;
            }
            end = comma;
        }
        throw malformed();
    }

    private Refusal malformed() {
        counts.add(Outcome.MALFORMED);
        return Refusal.badRequest("a trusted balancer forwards a malformed origin");
    }

    /** An address, an IPv4 one or one in brackets perhaps with a port; null if it is neither. */
    private static @Nullable Hop hop(String text) {
        byte[] bare = IpAddress.parse(text);
        if (bare != null) {
            return new Hop(bare, 0);
        }
        Matcher parts = WITH_PORT.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        String bracketed = parts.group(1);
        byte[] address = IpAddress.parse(bracketed == null ? parts.group(2) : bracketed);
        int port = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        return address == null || port > 65_535 ? null : new Hop(address, port);
    }
}
