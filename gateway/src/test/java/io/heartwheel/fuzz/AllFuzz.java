package io.heartwheel.fuzz;

/** All targets as one, for a short run: the first byte says which. */
public final class AllFuzz {
    private static final Target[] TARGETS = Target.values();

    private AllFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws Throwable {
        Octets octets = new Octets(input);
        Target target = TARGETS[octets.next() % TARGETS.length];
        target.feed(octets.rest());
    }
}
