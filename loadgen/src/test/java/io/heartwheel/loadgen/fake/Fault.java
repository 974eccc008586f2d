package io.heartwheel.loadgen.fake;

/** What is wrong with a {@link FakeGateway}. */
public enum Fault {
    /** Nothing: it keeps the contract. */
    NONE,
    /** Closes silent devices at 1.2 intervals of silence though it granted 1.5. */
    KILLS_EARLY,
    /** Closes devices that keep their promise: every tenth, after a while. */
    KILLS_THE_LIVING,
    /** Never closes anybody. */
    NEVER_KILLS,
    /** Closes silent devices 500 ms after their deadline. */
    KILLS_LATE,
    /** Welcomes, and then answers nothing; deadlines are kept. */
    MUTE,
    /** Answers with other bytes than were asked with. */
    WRONG_ECHO,
    /** Closes silent devices in time, but with 4002. */
    WRONG_CODE,
    /** Closes silent devices in time, but only ends the stream. */
    NO_CODE,
    /** Says CLOSE in time and leaves the socket open. */
    LEAVES_OPEN,
    /** Refuses every tenth device. */
    REFUSES
}
