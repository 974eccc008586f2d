package io.heartwheel.loadgen.fake;

/** Faults of a {@link FakeGateway}. */
public enum Fault {
    /** Nothing: it keeps the contract. */
    NONE,

    /** Closes silent devices at 1.2 intervals of silence though it granted 1.5. */
    KILLS_EARLY,
    /** Closes devices that keep their promise: every tenth, after a while. */
    KILLS_THE_LIVING,
    /** Closes devices at 0.65 intervals of silence: those that keep beating much faster than they must live, unless they are cut off. */
    KILLS_IN_THE_DARK,
    /** Never closes anybody for silence. */
    NEVER_KILLS,
    /** Closes silent devices 500 ms after their deadline. */
    KILLS_LATE,
    /** Closes a few of the silent devices 1,500 ms after their deadline. */
    KILLS_A_FEW_LATE,
    /** Closes silent devices 1,500 ms after their deadline. */
    KILLS_TOO_LATE,
    /** Closes silent devices in time, but with 4002. */
    WRONG_CODE,
    /** Closes silent devices in time, but only ends the stream. */
    NO_CODE,
    /** Says CLOSE in time and leaves the socket open. */
    LEAVES_OPEN,

    /** Sends all devices away and does not let them in again. */
    KEEPS_OUT,
    /** Sends all devices away without telling them before. */
    SAYS_NO_GOAWAY,

    /** Welcomes, and then answers nothing; deadlines are kept. */
    MUTE,
    /** Leaves the answers to the third and the fourth heartbeat of each connection out. */
    LEAVES_ANSWERS_OUT,
    /** Answers the third heartbeat of each connection 1.6 s late, and what comes meanwhile behind it. */
    ANSWERS_LATE,
    /** Answers with other bytes than were asked with. */
    WRONG_ECHO,
    /** Welcomes a hundred connections, and then accepts them only. */
    STOPS_WELCOMING,
    /** Tells every tenth device to leave, after a while, though nobody told it to; and lets it be. */
    SENDS_AWAY,
    /** Refuses every tenth device. */
    REFUSES,
    /** Welcomes half a second after HELLO. */
    WELCOMES_LATE,
    /** Welcomes two and a half seconds after HELLO. */
    WELCOMES_TOO_LATE,

    /** Acknowledges the third message of each connection and does not send it back. */
    LOSES_A_MESSAGE,
    /** Sends the third message of each connection back twice. */
    DOUBLES_A_MESSAGE,
    /** Sends the third message of each connection back after the fourth. */
    DISORDERS_A_MESSAGE,
    /** Acknowledges the third message of each connection twice. */
    ACKNOWLEDGES_TWICE,
    /** Does not acknowledge the third message of each connection. */
    NEVER_ACKNOWLEDGES,

    /** Sends the third message of each connection back with a bit changed in its last byte. */
    FLIPS_A_BIT,
    /** Sends zeros back for the third message of each connection. */
    REPLACES_A_MESSAGE,
    /** Sends the third message of each connection back without its last byte. */
    TRUNCATES_A_MESSAGE,
    /** Sends the third message of each connection back with a byte more. */
    EXTENDS_A_MESSAGE,
    /** Acknowledges all messages, sends none back, and asks each device to leave, 1.2 s after it came: by GOAWAY. */
    SWALLOWS_AND_SENDS_AWAY,
    /** Refuses each message. */
    REFUSES_MESSAGES,
    /** Nothing, but it has something of its own to say to each device (plain). */
    CHATTERS,

    /** Closes the newer connection of an id and keeps the older one. */
    CLOSES_THE_SUCCESSOR,
    /** The same before it was welcomed. */
    REFUSES_THE_SUCCESSOR,
    /** Keeps both connections of an id. */
    KEEPS_THE_PREDECESSOR,
    /** Closes the older connection of an id as it should, but 1,500 ms later. */
    CLOSES_THE_PREDECESSOR_LATE,
    /** Closes the older connection of an id with 4000. */
    PREDECESSOR_WRONG_CODE,
    /** Closes who never says HELLO, and who lets a message drip in, after 0.6 of their deadlines. */
    DEADLINES_EARLY,
    /** Lets them be, and those who take no bytes. */
    DEADLINES_NEVER,
    /** Closes them in time, but with 4001. */
    DEADLINES_WRONG_CODE,

    /** Welcomes devices with wrong tokens. */
    ADMITS_ANYBODY,
    /** Keeps devices whose token has expired. */
    EXPIRES_NEVER,
    /** Closes devices 600 ms before their token expires. */
    EXPIRES_EARLY,
    /** Closes devices 1,500 ms after their token expired. */
    EXPIRES_LATE,
    /** Closes devices whose token expired with 4401. */
    EXPIRES_WRONG_CODE,
    /** Does not warn them before. */
    WARNS_NEVER,
    /** Does not answer newer tokens. */
    IGNORES_RENEWALS,
    /** Accepts newer tokens and closes devices when the old one expires. */
    FORGETS_RENEWALS,
    /** Refuses newer tokens. */
    REFUSES_RENEWALS,

    /** Nothing, but it puts what it pushes into a text message of its own (plain). */
    WRAPS
}
