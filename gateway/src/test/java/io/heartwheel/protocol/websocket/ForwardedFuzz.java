package io.heartwheel.protocol.websocket;

import io.heartwheel.net.HttpError;
import io.heartwheel.net.IpAddress;
import io.heartwheel.net.Networks;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.OutcomeCounts;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Any header of a trusted balancer: refused, or an address; and the part that the device wrote in front of it changes nothing. */
public final class ForwardedFuzz {
    private static final Networks TRUSTED = Networks.parse(List.of("10.0.0.0/8"));
    private static final byte[] BALANCER = {10, 0, 0, 1};

    private ForwardedFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws ProtocolViolation {
        String text = new String(input, StandardCharsets.ISO_8859_1);
        check("x-forwarded-for", text, ", 203.0.113.7, 10.0.0.2");
        check("forwarded", text, ", For=\"203.0.113.7:5000\";host=\"a, \\\"b\", for=10.0.0.2");
    }

    private static void check(String header, String text, String behind) throws ProtocolViolation {
        byte[] alone = origin(header, text);
        if (alone.length != 0 && alone.length != 4 && alone.length != 16) {
            throw new AssertionError(header + ": " + text);
        }
        String found = IpAddress.text(origin(header, text + behind));
        if (!found.equals("203.0.113.7")) {
            throw new AssertionError(header + ": " + found + " of " + text);
        }
    }

    /** Of no length if it was refused. */
    private static byte[] origin(String header, String list) throws ProtocolViolation {
        EmbeddedChannel channel = new EmbeddedChannel();
        ClientAddress.tell(channel, BALANCER, 1);
        HttpHeaders headers =
                DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        headers.add(header, list);
        var settings = new ForwardedSettings(header, TRUSTED);
        try {
            new Forwarded(settings, new OutcomeCounts<>(ForwardedOutcome.class), (entering, from) -> {})
                    .look(channel, headers);
            return ClientAddress.address(channel);
        } catch (HttpError refused) {
            if (refused.status() != 400) {
                throw new AssertionError(refused);
            }
            return new byte[0];
        } finally {
            channel.close();
        }
    }
}
