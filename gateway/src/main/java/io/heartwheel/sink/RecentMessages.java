package io.heartwheel.sink;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory of the latest messages of devices that wanted an ACK, so that one sent again is known: its ACK was lost, and it has its record already. A message
 * is known by its id and a hash of 64 bits over its payload and kind; a device's memory goes on over its reconnects.
 *
 * <pre>
 *   for each message that wants an ACK:   isRepeat(...)
 *       false   a record of its own
 *       true    no record; accepted or refused together with the batch that is under way, in which its record may be
 *   then, once a batch:                   committed()   all that was new is durable
 *                                         failed()      all that was new is refused, and forgotten
 * </pre>
 *
 * <p>Bounded in messages a device, devices, and bytes; the devices unused for longest are forgotten first. What is forgotten costs a second record at worst,
 * and so does a failed batch in which a device displaced older messages of its own.
 *
 * <p>Owner: the journal's writer, the only thread. A look is a scan of a device's ids; it allocates for a device not known and while a memory grows, from
 * {@value #FIRST_SIZE} messages by doubling.
 */
final class RecentMessages {
    /** Devices that are remembered at most. */
    static final int MOST_DEVICES = 65_536;

    private static final int FIRST_SIZE = 4;
    /** The default bound is this part of the heap. */
    private static final int HEAP_PART = 32;
    /** Of a device: its entry in the map, its memory, its name's object; and of two arrays the headers. */
    private static final int DEVICE_BYTES = 216;

    private static final int MESSAGE_BYTES = 2 * Long.BYTES;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Odd numbers without a pattern: the golden ratio, the square root of two and that of three, as fractions of 2^64. */
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private static final long ROOT_2 = 0x6A09_E667_F3BC_C909L;
    private static final long ROOT_3 = 0xBB67_AE85_84CA_A73BL;

    private final int messages;
    private final int mostDevices;
    private final long mostBytes;
    private final LinkedHashMap<String, Recent> devices = new LinkedHashMap<>(16, 0.75f, true);
    /** Those with messages of the batch under way. */
    private final List<Recent> underWay = new ArrayList<>();

    private long bytes;

    /** @param messages of a device that are remembered, 1..1024 */
    RecentMessages(int messages) {
        this(messages, MOST_DEVICES, Runtime.getRuntime().maxMemory() / HEAP_PART);
    }

    /**
     * @param messages of a device that are remembered, 1..1024
     * @param mostDevices that are remembered, 1 or more
     * @param mostBytes of heap for all of them, about; one device is always remembered
     */
    RecentMessages(int messages, int mostDevices, long mostBytes) {
        this.messages = messages;
        this.mostDevices = mostDevices;
        this.mostBytes = mostBytes;
    }

    /**
     * Whether a message that wants an ACK was seen before; if not it is remembered as one of the batch under way. A message with id 0 is never a repeat.
     *
     * @param device its sender
     * @param id the device's own for the message
     * @param text whether it is text
     */
    boolean isRepeat(String device, long id, boolean text, byte[] payload) {
        if (id == 0) {
            return false;
        }
        long hash = hash(text, payload);
        Recent recent = devices.get(device);
        if (recent == null) {
            recent = new Recent(device, Math.min(FIRST_SIZE, messages));
            devices.put(device, recent);
            bytes += recent.bytes();
        } else if (recent.has(id, hash)) {
            return true;
        }
        remember(recent, id, hash);
        return false;
    }

    private void remember(Recent recent, long id, long hash) {
        if (recent.isFull() && recent.ids.length < messages) {
            bytes -= recent.bytes();
            recent.grow(Math.min(messages, 2 * recent.ids.length));
            bytes += recent.bytes();
        }
        if (recent.underWay == 0) {
            underWay.add(recent);
        }
        recent.add(id, hash);
        evict();
    }

    /** The batch is durable: from now on its messages are answered at once when they come again. */
    void committed() {
        for (int i = 0; i < underWay.size(); i++) {
            underWay.get(i).underWay = 0;
        }
        underWay.clear();
    }

    /** The batch is lost and its messages are refused: when they come again they are new. */
    void failed() {
        for (int i = 0; i < underWay.size(); i++) {
            Recent recent = underWay.get(i);
            recent.forgetUnderWay();
            if (recent.size == 0 && devices.remove(recent.device, recent)) {
                bytes -= recent.bytes();
            }
        }
        underWay.clear();
    }

    /** Devices that are remembered. */
    int devices() {
        return devices.size();
    }

    /** Heap they take, about, bytes. */
    long bytes() {
        return bytes;
    }

    private void evict() {
        if (devices.size() <= mostDevices && bytes <= mostBytes) {
            return;
        }
        Iterator<Map.Entry<String, Recent>> oldest = devices.entrySet().iterator();
        while (devices.size() > 1 && (devices.size() > mostDevices || bytes > mostBytes)) {
            bytes -= oldest.next().getValue().bytes();
            oldest.remove();
        }
    }

    /** A hash that two different messages with the same id share once in 2^64; nobody but their sender can choose them. */
    static long hash(boolean text, byte[] payload) {
        long hash = text ? ROOT_2 : ROOT_3;
        int at = 0;
        for (; at + Long.BYTES <= payload.length; at += Long.BYTES) {
            hash = step(hash, (long) LONG.get(payload, at));
        }
        long rest = 0;
        for (int i = payload.length - 1; i >= at; i--) {
            rest = rest << Byte.SIZE | (payload[i] & 0xFF);
        }
        return step(step(hash, rest), payload.length);
    }

    private static long step(long hash, long word) {
        long mixed = (hash ^ word) * GOLDEN;
        mixed ^= mixed >>> 32;
        mixed *= ROOT_2;
        return mixed ^ mixed >>> 29;
    }

    /** The latest messages of a device: a ring. */
    private static final class Recent {
        private final String device;
        private long[] ids;
        private long[] hashes;
        /** Where the next goes. */
        private int next;

        private int size;
        /** The latest of them, that are not committed. */
        private int underWay;

        Recent(String device, int capacity) {
            this.device = device;
            ids = new long[capacity];
            hashes = new long[capacity];
        }

        /** The latest are looked at first. */
        boolean has(long id, long hash) {
            int at = next;
            for (int age = 0; age < size; age++) {
                at = at == 0 ? ids.length - 1 : at - 1;
                if (ids[at] == id && hashes[at] == hash) {
                    return true;
                }
            }
            return false;
        }

        boolean isFull() {
            return size == ids.length;
        }

        void grow(int capacity) {
            ids = moved(ids, capacity);
            hashes = moved(hashes, capacity);
            next = size;
        }

        private long[] moved(long[] from, int capacity) {
            long[] to = new long[capacity];
            System.arraycopy(from, next, to, 0, from.length - next);
            System.arraycopy(from, 0, to, from.length - next, next);
            return to;
        }

        void add(long id, long hash) {
            ids[next] = id;
            hashes[next] = hash;
            next = next + 1 == ids.length ? 0 : next + 1;
            size = Math.min(size + 1, ids.length);
            underWay = Math.min(underWay + 1, size);
        }

        void forgetUnderWay() {
            next = Math.floorMod(next - underWay, ids.length);
            size -= underWay;
            underWay = 0;
        }

        long bytes() {
            return DEVICE_BYTES + device.length() + (long) MESSAGE_BYTES * ids.length;
        }
    }
}
