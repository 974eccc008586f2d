package io.heartwheel.loadgen.fake;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32;

/**
 * Wire of a {@link FramedServer}: three protocols of different kinds, none of which shares a line with the load generator. One object a connection.
 */
public interface FramedWire {

    /** Messages of a device and to it. */
    enum Kind {
        REGISTER,
        HELLO,
        BEAT,
        DATA,
        BYE
    }

    /** A message of a device. */
    record Said(Kind kind, String id, long counter, byte[] payload) {}

    /** The next whole message, or null when there is none; takes its bytes out of the buffer, which is left for reading. */
    Said next(ByteBuffer in);

    /** The answer to a message. */
    byte[] answer(Kind to, String id, long counter, boolean good);

    /** The message of a device, sent back to it. */
    byte[] echo(Said said);

    /** What is no message, or breaks off in one. */
    byte[] broken(String id);

    // ---- JT/T 808, 2013

    /** Terminals of vehicles in China: 0x7e around each message, BCD phone numbers, XOR. */
    final class Jt808 implements FramedWire {

        private static final byte[] AUTH = "SECRET~}7".getBytes(StandardCharsets.US_ASCII);
        private int serial;

        @Override
        public Said next(ByteBuffer in) {
            while (in.hasRemaining() && in.get(in.position()) == 0x7e) {
                in.get();
            }
            int end = in.position();
            while (end < in.limit() && in.get(end) != 0x7e) {
                end++;
            }
            if (end == in.limit()) {
                return null;
            }
            ByteArrayOutputStream plain = new ByteArrayOutputStream();
            while (in.position() < end) {
                int next = in.get();
                plain.write(next != 0x7d ? next : in.get() == 2 ? 0x7e : 0x7d);
            }
            in.get();
            return read(plain.toByteArray());
        }

        private static Said read(byte[] bytes) {
            int xor = 0;
            for (int i = 0; i < bytes.length - 1; i++) {
                xor ^= bytes[i];
            }
            ByteBuffer message = ByteBuffer.wrap(bytes);
            int type = message.getShort() & 0xFFFF;
            int length = message.getShort() & 0x3FF;
            byte[] phone = new byte[6];
            message.get(phone);
            int counter = message.getShort() & 0xFFFF;
            if ((byte) xor != bytes[bytes.length - 1] || length != bytes.length - 13) {
                throw new IllegalArgumentException("checksum or length");
            }
            byte[] body = new byte[length];
            message.get(body);
            Kind kind =
                    switch (type) {
                        case 0x0100 -> Kind.REGISTER;
                        case 0x0102 -> Kind.HELLO;
                        case 0x0002 -> Kind.BEAT;
                        case 0x0900 -> Kind.DATA;
                        case 0x0003 -> Kind.BYE;
                        default -> throw new IllegalArgumentException("type " + type);
                    };
            if (kind == Kind.HELLO && !Arrays.equals(body, AUTH)) {
                throw new IllegalArgumentException("authentication");
            }
            return new Said(kind, HexFormat.of().formatHex(phone), counter, body);
        }

        @Override
        public byte[] answer(Kind to, String id, long counter, boolean good) {
            ByteBuffer body = ByteBuffer.allocate(64).putShort((short) counter);
            if (to == Kind.REGISTER) {
                return message(0x8100, id, body.put((byte) (good ? 0 : 3)).put(good ? AUTH : new byte[0]));
            }
            int type = to == Kind.HELLO ? 0x0102 : to == Kind.BEAT ? 0x0002 : 0x0900;
            return message(0x8001, id, body.putShort((short) type).put((byte) (good ? 0 : 1)));
        }

        @Override
        public byte[] echo(Said said) {
            return message(
                    0x8900,
                    said.id(),
                    ByteBuffer.allocate(2 + said.payload().length)
                            .putShort((short) said.counter())
                            .put(said.payload()));
        }

        @Override
        public byte[] broken(String id) {
            byte[] whole = message(0x8001, id, ByteBuffer.allocate(5));
            whole[whole.length - 2] ^= 1;
            return whole;
        }

        private byte[] message(int type, String id, ByteBuffer body) {
            body.flip();
            ByteBuffer plain = ByteBuffer.allocate(13 + body.remaining());
            plain.putShort((short) type).putShort((short) body.remaining());
            plain.put(HexFormat.of().parseHex(id)).putShort((short) serial++).put(body);
            int xor = 0;
            for (int i = 0; i < plain.position(); i++) {
                xor ^= plain.get(i);
            }
            plain.put((byte) xor);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(0x7e);
            for (byte next : plain.array()) {
                if (next == 0x7e || next == 0x7d) {
                    out.write(0x7d);
                    out.write(next == 0x7e ? 2 : 1);
                } else {
                    out.write(next);
                }
            }
            out.write(0x7e);
            return out.toByteArray();
        }
    }

    // ---- a length before each message

    /** Home-made: length (little endian, of all of it), type, number, id, bytes, CRC-32. */
    final class LengthField implements FramedWire {

        private static final int HEAD = 4 + 1 + 4 + 8;

        @Override
        public Said next(ByteBuffer in) {
            in.order(ByteOrder.LITTLE_ENDIAN);
            if (in.remaining() < 4 || in.remaining() < in.getInt(in.position())) {
                return null;
            }
            byte[] bytes = new byte[in.getInt(in.position())];
            in.get(bytes);
            ByteBuffer message = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            if (crc(bytes, bytes.length - 4) != message.getInt(bytes.length - 4)) {
                throw new IllegalArgumentException("checksum");
            }
            int type = message.get(4);
            String id = new String(bytes, 9, 8, StandardCharsets.US_ASCII);
            return new Said(
                    Kind.values()[type],
                    id,
                    message.getInt(5) & 0xFFFF_FFFFL,
                    Arrays.copyOfRange(bytes, HEAD, bytes.length - 4));
        }

        private static int crc(byte[] bytes, int length) {
            CRC32 crc = new CRC32();
            crc.update(bytes, 0, length);
            return (int) crc.getValue();
        }

        @Override
        public byte[] answer(Kind to, String id, long counter, boolean good) {
            return message((good ? 0x80 : 0xC0) | to.ordinal(), id, counter, new byte[0]);
        }

        @Override
        public byte[] echo(Said said) {
            return message(0xA0, said.id(), said.counter(), said.payload());
        }

        @Override
        public byte[] broken(String id) {
            byte[] whole = message(0x82, id, 1, new byte[0]);
            whole[0]++;
            return Arrays.copyOf(whole, whole.length + 1);
        }

        private static byte[] message(int type, String id, long counter, byte[] body) {
            ByteBuffer out = ByteBuffer.allocate(HEAD + body.length + 4).order(ByteOrder.LITTLE_ENDIAN);
            out.putInt(out.capacity()).put((byte) type).putInt((int) counter);
            out.put(id.getBytes(StandardCharsets.US_ASCII)).put(body);
            return out.putInt(crc(out.array(), out.position())).array();
        }
    }

    // ---- lines

    /** Home-made: words in lines, nothing numbered but messages. */
    final class Lines implements FramedWire {

        private String id = "";

        @Override
        public Said next(ByteBuffer in) {
            int end = in.position();
            while (end < in.limit() && in.get(end) != '\n') {
                end++;
            }
            if (end == in.limit()) {
                return null;
            }
            byte[] line = new byte[end - in.position()];
            in.get(line);
            in.get();
            String[] words = new String(line, StandardCharsets.US_ASCII).strip().split(" ");
            return switch (words[0]) {
                case "LOGIN" -> {
                    id = words[1];
                    yield new Said(Kind.HELLO, id, 0, new byte[0]);
                }
                case "PING" -> new Said(Kind.BEAT, id, 0, new byte[0]);
                case "MSG" ->
                    new Said(
                            Kind.DATA,
                            id,
                            Long.parseLong(words[1]),
                            (words.length > 2 ? words[2] : "").getBytes(StandardCharsets.US_ASCII));
                case "QUIT" -> new Said(Kind.BYE, id, 0, new byte[0]);
                default -> throw new IllegalArgumentException(words[0]);
            };
        }

        @Override
        public byte[] answer(Kind to, String device, long counter, boolean good) {
            return line(
                    switch (to) {
                        case BEAT -> good ? "PONG" : "WHAT";
                        case DATA -> (good ? "ACK " : "NAK ") + counter;
                        default -> good ? "WELCOME " + device + " every 1" : "DENIED 7";
                    });
        }

        @Override
        public byte[] echo(Said said) {
            return line("MSG " + said.counter() + " " + new String(said.payload(), StandardCharsets.US_ASCII));
        }

        @Override
        public byte[] broken(String device) {
            return line("\u0001\u0002");
        }

        private static byte[] line(String text) {
            return (text + "\r\n").getBytes(StandardCharsets.US_ASCII);
        }
    }
}
