package io.heartwheel.loadgen.credential;

import io.heartwheel.loadgen.pace.Chance;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** Bytes that follow from a seed and a name: the same in each process of a run. Stateless; any thread. */
final class SeededBytes {

    private SeededBytes() {}

    /** So many bytes, a multiple of 8. */
    static byte[] of(long seed, long name, int count) {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        for (int draw = 0; bytes.hasRemaining(); draw++) {
            bytes.putLong(Chance.bits(seed, name, draw));
        }
        return bytes.array();
    }

    /** The same as a source that a key pair can be made from. */
    static SecureRandom source(long seed, long name) {
        return new Source(seed, name);
    }

    /** What a provider takes for random. */
    private static final class Source extends SecureRandom {

        private static final long serialVersionUID = 1;

        private final long seed;
        private final long name;
        private long draws;

        Source(long seed, long name) {
            this.seed = seed;
            this.name = name;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) Chance.bits(seed, name, draws++);
            }
        }

        @Override
        public byte[] generateSeed(int bytes) {
            byte[] made = new byte[bytes];
            nextBytes(made);
            return made;
        }
    }
}
