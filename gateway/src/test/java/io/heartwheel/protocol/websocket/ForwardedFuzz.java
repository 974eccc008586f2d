package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.IpAddress;
import io.heartwheel.protocol.Networks;
import io.heartwheel.protocol.Origin;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.SourceGate;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a trusted balancer forwards: refused, or an origin; and what the device wrote in front of it changes nothing. */
public final class ForwardedFuzz {
    private static final Networks TRUSTED = Networks.parse(List.of("10.0.0.0/8"));
    private static final byte[] BALANCER = {10, 0, 0, 1};

    private ForwardedFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws ProtocolViolation {
        String text = new String(input, StandardCharsets.ISO_8859_1);
        byte[] alone = origin(text);
        if (alone.length != 0 && alone.length != 4 && alone.length != 16) {
            throw new AssertionError(text);
        }
        String found = IpAddress.text(origin(text + ", 203.0.113.7, 10.0.0.2"));
        if (!found.equals("203.0.113.7")) {
            throw new AssertionError(found + " of " + text);
        }
    }

    /** Of no length if it was refused. */
    private static byte[] origin(String list) throws ProtocolViolation {
        EmbeddedChannel channel = new EmbeddedChannel();
        Origin.tell(channel, BALANCER, 1);
        HttpHeaders headers =
                DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        headers.add("x-forwarded-for", list);
        var settings = new ForwardedSettings("x-forwarded-for", TRUSTED);
        try {
            new Forwarded(settings, new ForwardedCounts(), SourceGate.OPEN).look(channel, headers);
            return Origin.address(channel);
        } catch (Refusal refused) {
            if (refused.status().code() != 400) {
                throw new AssertionError(refused);
            }
            return new byte[0];
        } finally {
            channel.close();
        }
    }
}
