package io.heartwheel.wheel;

/** An entry for tests: its deadline is a field, and it remembers what happened to it. */
final class Probe implements Timed {

    volatile long deadlineNanos;
    int asked;
    int expired;
    long expiredAtNanos;
    /** Done when it expires; may be null. */
    Runnable then;
    /** Done when it has been asked, before the wheel hears the answer; may be null. */
    Runnable answered;

    Probe(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    /** Registers a probe and arms it. */
    static Probe armed(TimingWheel wheel, long deadlineNanos) {
        Probe probe = new Probe(deadlineNanos);
        wheel.arm(wheel.register(probe), deadlineNanos);
        return probe;
    }

    @Override
    public long deadlineNanos() {
        asked++;
        long answer = deadlineNanos;
        if (answered != null) {
            answered.run();
        }
        return answer;
    }

    @Override
    public void expire(long nowNanos) {
        expired++;
        expiredAtNanos = nowNanos;
        if (then != null) {
            then.run();
        }
    }
}
