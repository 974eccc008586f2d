package io.heartwheel.protocol.frame;

import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The payload of a HELLO: refused with a reason, or read as it was written. */
public final class HelloFuzz {
    private HelloFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        // something before and behind it, that must not be touched
        ByteBuf in = Unpooled.wrappedBuffer(new byte[] {'H'}, input, new byte[] {1, 'x', 0, 1, 'y'});
        Hello hello;
        try {
            hello = Hello.read(in, 1, input.length);
        } catch (ProtocolViolation violation) {
            if (!violation.reason().onWire() || violation.text().isEmpty()) {
                throw new AssertionError(violation);
            }
            return;
        }
        byte[] again = written(hello, input[3]);
        if (!Arrays.equals(again, Arrays.copyOf(input, again.length))) {
            throw new AssertionError("read " + hello + ", which is " + ByteBufUtil.hexDump(again));
        }
    }

    private static byte[] written(Hello hello, byte reserved) {
        byte[] name = hello.clientName().getBytes(StandardCharsets.UTF_8);
        ByteBuf out = Unpooled.buffer();
        out.writeShort(0x4857)
                .writeByte(1)
                .writeByte(reserved)
                .writeInt((int) hello.wantedMillis())
                .writeLong(hello.lastEpoch());
        out.writeByte(hello.deviceId().length).writeBytes(hello.deviceId());
        out.writeShort(hello.token().length).writeBytes(hello.token());
        out.writeByte(name.length).writeBytes(name);
        return ByteBufUtil.getBytes(out);
    }
}
