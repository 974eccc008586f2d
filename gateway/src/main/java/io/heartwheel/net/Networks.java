package io.heartwheel.net;

import java.util.List;

/**
 * Short list of networks, looked through from its beginning. Immutable; any thread.
 *
 * @param all at most {@link #MOST}
 */
public record Networks(List<Network> all) {
    /** Most networks of a list. */
    public static final int MOST = 256;
    /** Contains no address. */
    public static final Networks NONE = new Networks(List.of());

    /** @throws IllegalArgumentException if there are too many */
    public Networks {
        all = List.copyOf(all);
        if (all.size() > MOST) {
            throw new IllegalArgumentException("networks: " + all.size() + ", need at most " + MOST);
        }
    }

    /**
     * Reads each of them.
     *
     * @throws IllegalArgumentException if one is none, or they are too many
     */
    public static Networks parse(List<String> texts) {
        return new Networks(texts.stream().map(Network::parse).toList());
    }

    /**
     * Whether one of them holds the address.
     *
     * @param address 4 or 16 bytes; of no length: no
     */
    public boolean contains(byte[] address) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).contains(address)) {
                return true;
            }
        }
        return false;
    }

    /** Each as it is written, in order. */
    public List<String> texts() {
        return all.stream().map(Network::text).toList();
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return all.isEmpty();
    }
}
