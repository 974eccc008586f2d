package io.heartwheel.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Inputs a little unlike those that are kept. */
final class Mutations {
    private static final int MOST_BYTES = 4_096;
    private static final int[] EDGES = {0, 1, 0x7F, 0x80, 0xFF, 0x20, 0x22, 0x25, 0x0A, 0x0D};

    private final Random random;
    private final List<byte[]> kept;

    Mutations(long seed, List<byte[]> kept) {
        random = new Random(seed);
        this.kept = kept;
    }

    byte[] next() {
        byte[] bytes = any().clone();
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
            bytes = changed(bytes);
        }
        return bytes;
    }

    private byte[] any() {
        return kept.isEmpty() ? new byte[1] : kept.get(random.nextInt(kept.size()));
    }

    private byte[] changed(byte[] bytes) {
        int at = random.nextInt(bytes.length + 1);
        int to = at + random.nextInt(bytes.length - at + 1);
        return switch (random.nextInt(6)) {
            case 0 -> joined(bytes, at, any(), 0); // another's beginning
            case 1 -> joined(bytes, at, bytes, to); // less
            case 2 -> joined(bytes, to, bytes, at); // some of it twice
            case 3 -> joined(bytes, at, noise(), 0);
            case 4 -> set(bytes, at, EDGES[random.nextInt(EDGES.length)]);
            default -> set(bytes, at, at < bytes.length ? bytes[at] ^ 1 << random.nextInt(8) : 0);
        };
    }

    private byte[] noise() {
        byte[] noise = new byte[random.nextInt(64)];
        random.nextBytes(noise);
        return noise;
    }

    private static byte[] set(byte[] bytes, int at, int value) {
        if (at < bytes.length) {
            bytes[at] = (byte) value;
        }
        return bytes;
    }

    private static byte[] joined(byte[] first, int end, byte[] second, int from) {
        byte[] all = Arrays.copyOf(first, Math.min(MOST_BYTES, end + second.length - from));
        System.arraycopy(second, from, all, Math.min(end, all.length), Math.max(0, all.length - end));
        return all;
    }
}
