package io.heartwheel.protocol.websocket;

import io.heartwheel.net.HttpError;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.OutcomeCounts;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.SourceLimiter;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Client address of a request, found in the headers that balancers write: {@code X-Forwarded-For}, a header of the same form, or {@code Forwarded} (RFC 7239).
 *
 * <pre>
 *   X-Forwarded-For: 198.51.100.9, 203.0.113.7, 10.0.0.2        from 10.0.0.1, trusted is 10.0.0.0/8
 *                    |             |            +-- trusted: go on to its left
 *                    |             +-- the first that is not: the device
 *                    +-- whatever the device itself wrote: never looked at
 * </pre>
 *
 * Every hop appends whom it saw, so the list is believed from its right end as far as those who wrote it are trusted. If all of them are, the
 * device is the leftmost. Several lines of the header are one list, whose empty elements nobody wrote. What cannot be read where it must be is refused, not
 * guessed at. Where a balancer
 * says that it does not know, or does not tell, whom it saw ({@code for=unknown}, {@code for=_hidden}), nobody is named and the search ends.
 *
 * @param settings null: nothing is believed
 * @param counts told of each request
 * @param gate counts connections by the origin that was found
 */
public record Forwarded(
        @Nullable ForwardedSettings settings, OutcomeCounts<ForwardedOutcome> counts, SourceLimiter gate) {
    /** Most balancers in a row. */
    private static final int MAX_HOPS = 32;

    private static final String FORWARDED_HOST = "x-forwarded-host";

    /**
     * Looks at a request and tells the channel its origin.
     *
     * @return the host that a trusted balancer was asked for: of {@code X-Forwarded-Host}, or of {@code host} in {@code Forwarded}; null if none told
     * @throws ProtocolViolation if there is no room for one from there
     */
    @Nullable
    String look(Channel channel, HttpHeaders headers) throws ProtocolViolation {
        if (settings == null) {
            return null;
        }
        List<String> lines = headers.getAll(settings.header());
        if (!settings.trusted().contains(ClientAddress.address(channel))) {
            if (!lines.isEmpty()) {
                counts.add(ForwardedOutcome.UNTRUSTED);
            }
            return null;
        }
        ForwardedHop device = device(String.join(",", lines), settings);
        if (device == null) {
            counts.add(ForwardedOutcome.ABSENT);
            return settings.isRfc7239() ? null : outermost(headers.getAll(FORWARDED_HOST));
        }
        counts.add(device.isNamed() ? ForwardedOutcome.TAKEN : ForwardedOutcome.UNKNOWN);
        if (device.isNamed()) {
            ClientAddress.tell(channel, device.address(), device.port());
            gate.enter(channel, ClientAddress.address(channel));
        }
        return settings.isRfc7239() ? device.host() : outermost(headers.getAll(FORWARDED_HOST));
    }

    /** What the outermost balancer wrote. A page cannot make its browser send this header, so nobody it could deceive lets it through. */
    private static @Nullable String outermost(List<String> lines) {
        return lines.stream()
                .flatMap(line -> Stream.of(line.split(",", -1)))
                .map(String::strip)
                .filter(host -> !host.isEmpty())
                .findFirst()
                .orElse(null);
    }

    /** Null if nobody wrote anything. */
    private @Nullable ForwardedHop device(String list, ForwardedSettings from) {
        boolean elements = from.isRfc7239();
        ForwardedHop last = null;
        int end = list.length();
        for (int hops = 0; hops < MAX_HOPS; hops++) {
            int comma = elements ? ForwardedHop.commaBefore(list, end) : list.lastIndexOf(',', end - 1);
            String text = list.substring(comma + 1, end).strip();
            if (!text.isEmpty()) {
                last = elements ? ForwardedHop.element(text) : ForwardedHop.listed(text);
                if (last == null) {
                    throw malformed();
                }
            }
            if (comma < 0 || (last != null && !from.trusted().contains(last.address()))) {
                return last;
            }
            end = comma;
        }
        throw malformed();
    }

    private HttpError malformed() {
        counts.add(ForwardedOutcome.MALFORMED);
        return HttpError.badRequest("a trusted balancer forwards a malformed origin");
    }
}
