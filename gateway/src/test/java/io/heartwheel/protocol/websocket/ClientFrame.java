package io.heartwheel.protocol.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A client's frame written in the plainest way, right or wrong. */
record ClientFrame(int first, byte[] payload, int mask, int lengthForm) {
    static final int SHORTEST = 0;
    static final int MASK = 0xA1B2C3D4;

    static ClientFrame of(int first, byte[] payload) {
        return new ClientFrame(first, payload, MASK, SHORTEST);
    }

    static ClientFrame of(int first, String payload) {
        return of(first, payload.getBytes(StandardCharsets.UTF_8));
    }

    static ClientFrame text(String payload) {
        return of(0x81, payload);
    }

    static ClientFrame binary(byte[] payload) {
        return of(0x82, payload);
    }

    static ClientFrame ping(String payload) {
        return of(0x89, payload);
    }

    static ClientFrame close(int code, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] payload = new byte[2 + bytes.length];
        payload[0] = (byte) (code >> 8);
        payload[1] = (byte) code;
        System.arraycopy(bytes, 0, payload, 2, bytes.length);
        return of(0x88, payload);
    }

    ClientFrame withMask(int other) {
        return new ClientFrame(first, payload, other, lengthForm);
    }

    /** @param form 7, 16 or 64 bits of length */
    ClientFrame withLengthForm(int form) {
        return new ClientFrame(first, payload, mask, form);
    }

    ByteBuf bytes() {
        return Unpooled.wrappedBuffer(array());
    }

    byte[] array() {
        int form = lengthForm;
        if (form == SHORTEST) {
            form = payload.length <= 125 ? 7 : payload.length <= 65_535 ? 16 : 64;
        }
        try {
            var bytes = new ByteArrayOutputStream();
            var out = new DataOutputStream(bytes);
            out.writeByte(first);
            if (form == 7) {
                out.writeByte(0x80 | payload.length);
            } else if (form == 16) {
                out.writeByte(0x80 | 126);
                out.writeShort(payload.length);
            } else {
                out.writeByte(0x80 | 127);
                out.writeLong(payload.length);
            }
            out.writeInt(mask);
            for (int i = 0; i < payload.length; i++) {
                out.writeByte(payload[i] ^ mask >>> (8 * (3 - i % 4)));
            }
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
