package io.heartwheel.wheel;

/** No timer at all: a random store, into an array or into an object of those that the connections are. The least that activity can cost. */
final class Floor extends Contender {

    private final boolean inObject;
    private long[] slots = {};
    private Connection[] connections = {};

    Floor(boolean inObject) {
        this.inObject = inObject;
    }

    @Override
    void prepare(int pending) {
        if (inObject) {
            connections = Connection.make(pending);
        } else {
            slots = new long[pending];
        }
    }

    @Override
    void open(boolean live) {}

    @Override
    void arm(int i, long delayNanos) {
        activity(i, delayNanos);
    }

    @Override
    void rearm(int i, long delayNanos) {
        activity(i, delayNanos);
    }

    @Override
    void extra(long delayNanos) {
        throw new UnsupportedOperationException();
    }

    @Override
    void activity(int i, long nowNanos) {
        if (inObject) {
            connections[i].activity(nowNanos);
        } else {
            slots[i] = nowNanos;
        }
    }

    @Override
    public void close() {}
}
