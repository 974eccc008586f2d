package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.net.HttpError;
import io.heartwheel.net.IpAddress;
import io.heartwheel.net.Networks;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.OutcomeCounts;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;

/** Requests with a header of a balancer's, which is trusted from 10.0.0.0/8 and fd00::/8. */
final class ForwardedBench {
    static final Networks TRUSTED = Networks.parse(List.of("10.0.0.0/8", "fd00::/8"));

    final OutcomeCounts<ForwardedOutcome> counts = new OutcomeCounts<>(ForwardedOutcome.class);
    /** Addresses that were taken, in order. */
    final List<String> taken = new ArrayList<>();

    final Forwarded forwarded;
    private final String header;

    ForwardedBench(String header) {
        this.header = header;
        forwarded = new Forwarded(
                new ForwardedSettings(header, TRUSTED),
                counts,
                (channel, address) -> taken.add(IpAddress.text(address)));
    }

    /** The client's address of a request over a connection from here. */
    String look(String from, String... lines) throws ProtocolViolation {
        EmbeddedChannel channel = new EmbeddedChannel();
        ClientAddress.tell(channel, IpAddress.parse(from), 4_000);
        // as the wire brings them
        HttpHeaders headers =
                DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        // the other header is the device's own to write
        headers.add(header.equals("forwarded") ? "X-Forwarded-For" : "Forwarded", "192.0.2.99");
        for (String line : lines) {
            headers.add(header, line);
        }
        forwarded.look(channel, headers);
        return ClientAddress.text(channel);
    }

    void assertRefused(String list) {
        HttpError refusal = assertThrows(HttpError.class, () -> look("10.0.0.1", list), list);
        assertEquals(400, refusal.status());
        assertEquals(1, counts.count(ForwardedOutcome.MALFORMED));
        assertEquals(List.of(), taken);
    }
}
