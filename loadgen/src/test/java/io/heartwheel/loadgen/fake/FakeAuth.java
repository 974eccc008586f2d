package io.heartwheel.loadgen.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.Base64;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Token of one connection of a {@link FakeGateway}: reads its claims, believes every signature, warns and closes. On its event loop. */
final class FakeAuth {

    private static final long WARN_BEFORE_MILLIS = 1_000;
    private static final int ACCEPTED = 0;
    private static final int EXPIRING = 1;
    private static final int REFUSED = 2;
    private static final int NEVER = -1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Fault fault;
    private final EventExecutor loop;
    private final Consumer<ByteBuf> answers;
    private final IntConsumer farewell;
    private final Deadline expiry = new Deadline();
    private final Deadline warning = new Deadline();

    private String id = "";
    private boolean understands;
    private long expiresMillis;

    /** @param answers sends the payload of an AUTH */
    FakeAuth(Fault fault, EventExecutor loop, Consumer<ByteBuf> answers, IntConsumer farewell) {
        this.fault = fault;
        this.loop = loop;
        this.answers = answers;
        this.farewell = farewell;
    }

    /** When a good token expires, milliseconds since 1970; 0: it is not good. */
    private long expiry(String token) {
        try {
            String[] parts = token.split("\\.", -1);
            JsonNode header = JSON.readTree(Base64.getUrlDecoder().decode(parts[0]));
            JsonNode claims = JSON.readTree(Base64.getUrlDecoder().decode(parts[1]));
            long expires = claims.path("exp").asLong() * 1_000;
            boolean good = fault == Fault.ADMITS_ANYBODY
                    || (!header.path("alg").asText().equals("none")
                            && claims.path("sub").asText().equals(id)
                            && claims.path("aud").asText().equals("heartwheel")
                            && expires > System.currentTimeMillis());
            return good ? expires : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** A HELLO came with it; one without a token is let in as ever. */
    boolean admits(int features, String token, String device) {
        id = device;
        understands = (features & 1) != 0;
        expiresMillis = token.isEmpty() ? 0 : expiry(token);
        return token.isEmpty() || expiresMillis > 0;
    }

    /** It was welcomed, or renewed: from here on its deadlines run. */
    void arm() {
        if (expiresMillis == 0) {
            return;
        }
        long left = expiresMillis - System.currentTimeMillis();
        long millis =
                switch (fault) {
                    case EXPIRES_NEVER -> NEVER;
                    case EXPIRES_EARLY -> left - 600;
                    case EXPIRES_LATE -> left + 1_500;
                    default -> left;
                };
        expiry.set(loop, millis, () -> farewell.accept(fault == Fault.EXPIRES_WRONG_CODE ? 4401 : 4008));
        if (understands && fault != Fault.WARNS_NEVER) {
            warning.set(loop, Math.max(0, left - WARN_BEFORE_MILLIS), () -> answer(EXPIRING));
        }
    }

    private void answer(int status) {
        long remaining = Math.max(1, expiresMillis - System.currentTimeMillis());
        answers.accept(Unpooled.buffer(5).writeByte(status).writeInt((int) remaining));
    }

    /** An AUTH came. */
    void renewed(String token) {
        if (fault == Fault.IGNORES_RENEWALS) {
            return;
        }
        long newer = expiry(token);
        if (fault == Fault.REFUSES_RENEWALS || newer == 0) {
            answer(REFUSED);
            return;
        }
        expiresMillis = newer;
        answer(ACCEPTED);
        if (fault != Fault.FORGETS_RENEWALS) {
            arm();
        }
    }

    void clear() {
        expiry.clear();
        warning.clear();
    }
}
