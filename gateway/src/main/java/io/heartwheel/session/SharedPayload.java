package io.heartwheel.session;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Payload of one message to many devices, with the forms that this message has on the wire: it is encoded once for all devices of a protocol.
 *
 * <p>A form is memory outside of the heap that nobody counts references to: the connection that still writes it holds it, and the collector frees it after the
 * last one. Two loops that make one form at the same moment make it twice, and both are alike.
 *
 * <p>Any thread.
 */
public final class SharedPayload {
    /** Forms that there can be. */
    private static final int FORMS = 64;

    private static final ThreadLocal<@Nullable SharedPayload> BEING_SENT = new ThreadLocal<>();

    private final byte[] payload;
    private final AtomicReferenceArray<@Nullable ByteBuffer> forms = new AtomicReferenceArray<>(FORMS);

    /** @param payload of this message and no other; nobody changes it */
    public SharedPayload(byte[] payload) {
        this.payload = payload;
    }

    /** Runs a task in which connections find the forms, whoever sends the payload. */
    public void during(Runnable sends) {
        BEING_SENT.set(this);
        try {
            sends.run();
        } finally {
            BEING_SENT.remove();
        }
    }

    /** That of this payload, if this thread is sending it to many now; else null. */
    public static @Nullable SharedPayload of(byte[] payload) {
        SharedPayload shared = BEING_SENT.get();
        return shared != null && shared.payload == payload ? shared : null;
    }

    /**
     * A form that was kept; null if none was. Read-only, and nobody moves its position.
     *
     * @param form 0..63
     */
    public @Nullable ByteBuffer form(int form) {
        return forms.get(form);
    }

    /**
     * Keeps a form for the next device.
     *
     * @param form 0..63
     * @param encoded read-only, from its position on; nobody changes it
     */
    public void keep(int form, ByteBuffer encoded) {
        forms.set(form, encoded);
    }
}
