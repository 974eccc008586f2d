package io.heartwheel.loadgen.client;

/**
 * Contract of a server about the messages of its devices. Durations in nanoseconds.
 *
 * @param echo whether it sends each message back to its sender
 * @param echoStated whether the scenario itself says so; else nobody has thought of it
 * @param answerWithinNanos a message not acknowledged in this time is unacknowledged
 * @param echoWithinNanos an acknowledged message that has not come back in this time, its connection there all the while, is lost
 * @param redelivers whether it keeps what it acknowledged and could not send back: then that comes on a later connection
 * @param refusedShare share of the messages that it may refuse, 0..1
 * @param resend whether devices send again, under its id, what was not acknowledged as accepted
 */
public record MessageContract(
        boolean echo,
        boolean echoStated,
        long answerWithinNanos,
        long echoWithinNanos,
        boolean redelivers,
        double refusedShare,
        boolean resend) {}
