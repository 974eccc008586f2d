package io.heartwheel.loadgen.judge;

/** Verdict on the gateway, by one run or by two side by side, and exit status. */
public enum RunVerdict {
    /** The gateway kept the contract. */
    PASS(0),
    /** It did not. */
    FAIL(1),
    /** The generator was the bottleneck or could not see enough: nothing is proved. */
    INCONCLUSIVE(3);

    private final int exitStatus;

    RunVerdict(int exitStatus) {
        this.exitStatus = exitStatus;
    }

    /** The process's exit status: 0, 1 or 3. */
    public int exitStatus() {
        return exitStatus;
    }
}
