package io.heartwheel.loadgen.measure;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Counts of a run, all in one place: the names are those of the JSON result and, with a prefix and
 * {@code _total}, of the metrics.
 */
public enum Count {
    /** Devices whose first connection was begun. */
    STARTED("Devices whose first connection was begun"),
    /** Devices whose first connection came to something: welcomed, refused, or left waiting as it meant to be; and those nobody waits for. */
    ARRIVED("Devices whose first connection came to something, or that come in their own time"),
    /** Connections welcomed (plain: answered 101). */
    OPENED("Connections the gateway welcomed"),
    /** Of them welcomed later than {@code welcome-within} after their connect. */
    WELCOMED_LATE("Connections the gateway welcomed too late"),
    /** Connections over, whoever ended them. */
    ENDED("Welcomed connections that are over"),
    /** Connections the gateway did not accept that it should have. */
    REFUSED("Connections that were not welcomed and should have been"),
    /** Connections of a crowd, or of devices with one id, that were told to come later. */
    TURNED_AWAY("Connections turned away as some of too many, and told when to come back"),
    /** Connections that failed on the generator's own machine: no descriptor, no port. */
    OWN_FAILURES("Connections the generator's own machine refused"),
    /** Attempts to come back after a loss. */
    RETRIES("Attempts to connect again"),
    /** Attempts to come back that failed. */
    RETRIES_FAILED("Attempts to connect again that failed"),
    /** Live connections lost to a fault that the scenario itself caused. */
    LOST("Live connections lost to a fault that the scenario caused"),
    /** Devices that were welcomed again after a loss. */
    RECOVERED("Devices welcomed again after a loss"),
    /** Retry windows offered by the gateway. */
    GOAWAYS("GOAWAY frames received"),
    /** Live devices sent away though neither the timeline nor the contract has it. */
    SENT_AWAY("Live devices sent away by a GOAWAY that nobody ordered"),

    /** Live connections that the scenario accounts for, but that no GOAWAY had announced. */
    LOST_UNTOLD("Live connections lost to a fault that the scenario caused, without a GOAWAY before"),
    /** Devices with a retry window that were welcomed again in it. */
    BACK_IN_WINDOW("Devices welcomed again within the retry window they were given"),
    /** Devices that were welcomed again after its end. */
    BACK_LATE("Devices welcomed again after the end of the retry window they were given"),
    /** Devices whose window is over and that were not welcomed again at all. */
    BACK_NEVER("Devices not welcomed again though the retry window they were given is over"),
    /** Devices that did not wait for their window. */
    BACK_EARLY("Devices that came again before the retry window they were given"),

    /** Heartbeats sent. */
    BEATS_SENT("Heartbeats sent"),
    /** Heartbeats answered. */
    BEATS_ANSWERED("Heartbeats answered"),
    /** Heartbeats of live devices not answered in time. */
    BEATS_UNANSWERED("Heartbeats of live devices that were not answered in time"),
    /** Of them those whose answer was left out: a later one was answered. */
    BEATS_PASSED_OVER("Heartbeats of live devices that were never answered though later ones were"),
    /** Heartbeats of live devices answered later than {@code answer-within}. */
    BEATS_LATE("Heartbeats of live devices that were answered late"),
    /** Heartbeats whose answer the end of their connection, or of the run, left open. */
    BEATS_OPEN("Heartbeats whose answer the end of their connection, or of the run, left open"),
    /** Probes received by devices that had kept their promise. */
    PROBES_TO_LIVE("Probes received by live devices"),
    /** Probes received by silent ones. */
    PROBES_TO_SILENT("Probes received by silent devices"),

    /** Messages sent. */
    DATA_SENT("Messages sent"),
    /** Messages sent again under their ids: refused, or not acknowledged on an earlier connection. */
    DATA_RESENT("Messages sent again, under their ids, because they were not accepted"),
    /** Messages not sent because too many of the device's were not acknowledged. */
    DATA_HELD_BACK("Messages held back because too many were not acknowledged"),
    /** Of them those sent in a protocol that knows no acknowledgement. */
    DATA_UNASKED("Messages sent in a protocol that has no acknowledgements"),
    /** Of them acknowledged as accepted. */
    DATA_ACCEPTED("Messages acknowledged as accepted"),
    /** Of them acknowledged as refused. */
    DATA_REFUSED("Messages acknowledged as refused"),
    /** Of those refused while a step of the timeline excused it. */
    DATA_REFUSED_EXCUSED("Messages refused while the scenario broke something"),
    /** Of them neither acknowledged nor still under way. */
    DATA_UNACKNOWLEDGED("Messages never acknowledged by a gateway that stayed"),
    /** Of them acknowledged, but later than {@code answer-within}. */
    DATA_ACKNOWLEDGED_LATE("Messages acknowledged late"),
    /** Echoes that came back of messages sent. */
    DATA_ECHOED("Messages that came back"),
    /** Messages that had to come back and never did: acknowledged ones, and those of protocols that have no acknowledgements. */
    DATA_LOST("Messages that had to come back and never did"),
    /** Messages that came back later than {@code echo-within}. */
    DATA_LATE("Messages that came back late"),
    /** Messages of a device that came to another one. */
    DATA_MISDELIVERED("Messages that came to a device that did not send them"),
    /** Messages that came back with other bytes than were sent. */
    DATA_CHANGED("Messages that came back changed"),
    /** Messages of which the end of their connection left open what became of them. */
    DATA_UNKNOWN("Messages of which the end of their connection, or of the run, left open what became of them"),
    /** Messages that were acknowledged or came back more than once. */
    DATA_DOUBLED("Messages that came back or were acknowledged twice"),
    /** Messages that were overtaken by a later one of the same device. */
    DATA_DISORDERED("Messages out of order"),

    /** Pushes that were called for. */
    PUSHES_CALLED("Pushes that were called for"),
    /** Of them accepted by the server. */
    PUSHES_ACCEPTED("Pushes that the server accepted"),
    /** Of them told as delivered: read by the device's stack, or acknowledged by the device. */
    PUSHES_ACKNOWLEDGED("Pushes that the server told as received or acknowledged"),
    /** Of them told as kept for the device. */
    PUSHES_QUEUED("Pushes that the server told as kept for their device"),
    /** Of them told as not acknowledged in time. */
    PUSHES_EXPIRED("Pushes that the server told as expired"),
    /** Of those the ones that had no reason to. */
    PUSHES_EXPIRED_WRONG("Pushes told as expired before their time, or though acknowledged in time"),
    /** Told as delivered, and the device had not got it, or not acknowledged it. */
    PUSHES_UNPROVEN("Pushes told as delivered that had not come, or were not acknowledged by their device"),
    /** Called twice under one key and answered differently, or to many and counted wrongly. */
    PUSHES_CONTRADICTED("Pushes that had two different answers under one key, or a job whose numbers do not add up"),
    /** Came under another id than before, or than the caller was told. */
    PUSHES_RENAMED("Pushed messages that came under another id than before, or than the caller was told"),
    /** Came again as they may: on another connection, or after a refusal, before the caller was told. */
    PUSHES_REPEATED("Pushed messages that came again as they may"),
    /** Of them refused because the device was not connected, and it was not. */
    PUSHES_ABSENT("Pushes that the server refused because the device was absent"),
    /** Of them refused otherwise, or as absent though the device was connected. */
    PUSHES_REFUSED("Pushes that the server refused though it should not have"),
    /** As absent, while the gateway that has the device stood still and was taken for lost, as the scenario has it. */
    PUSHES_REFUSED_EXCUSED("Pushes refused to devices of a gateway that was taken for lost, as the scenario has it"),
    /** Calls of which nobody knows what came of them: no answer, or a broken connection. */
    PUSHES_FAILED("Pushes whose call failed"),
    /** The same while the server was down, as the scenario has it. */
    PUSHES_FAILED_EXCUSED("Pushes whose call failed while the server was down, as the scenario has it"),
    /** Messages that a device received that was meant, each once. */
    PUSHES_DELIVERED("Pushed messages received by the device they were for"),
    /** Accepted, the device was there all the time, and the message never came. */
    PUSHES_LOST("Accepted pushes that never came to a device that was connected"),
    /** They came, but later than an answer may take. */
    PUSHES_LATE("Accepted pushes that came later than an answer may take"),
    /** Messages that the server was to send later, and sent before their time. */
    PUSHES_EARLY("Pushed messages that were to come later"),
    /** Messages that came more than once. */
    PUSHES_DOUBLED("Pushed messages that came twice"),
    /** Messages that came after a later one to the same recipient. */
    PUSHES_DISORDERED("Pushed messages out of order"),
    /** Messages that came with other bytes. */
    PUSHES_CHANGED("Pushed messages that came changed"),
    /** Messages that came to a device they were not for. */
    PUSHES_MISDELIVERED("Pushed messages that came to a device they were not for"),
    /** Messages that came to a connection that had a successor when they were pushed. */
    PUSHES_STALE("Pushed messages that came to a connection that had been taken over before the push"),
    /** Accepted though the device had been gone for longer than an answer may take. */
    PUSHES_TO_NOBODY("Pushes accepted for devices that were not connected"),
    /** Accepted for a device that was not connected all the time, or kept for one that was not for long; nothing is known of them. */
    PUSHES_EXCUSED("Accepted pushes that did not come to devices that were not connected all the time"),
    /** Accepted too late to be waited for. */
    PUSHES_UNJUDGED("Accepted pushes that were not waited for"),

    /** Runs of schedules that go on to the end, each once for each device that got it. */
    RUNS_CAME("Runs of endless schedules received by a device, each id once"),
    /** Times of them at which all was calm and the device connected. */
    RUNS_JUDGED("Times of endless schedules at which all was calm and the device connected"),
    /** Of those the ones at which nothing came. */
    RUNS_MISSED("Times of endless schedules at which all was calm and the device connected, and nothing came"),
    /** Twice at one time under two ids, or again under one though no gateway was stopped while it ran. */
    RUNS_DOUBLED("Runs of endless schedules received twice"),
    /** Again under one id, and a gateway was stopped while it ran. */
    RUNS_AGAIN_EXCUSED(
            "Runs received again under the same id, while which a gateway was stopped, as the scenario has it"),
    /** A connected device waited for the next run longer than the scenario allows. */
    RUNS_LATE("Interruptions of endless schedules that were longer than allowed, at connected devices"),
    /** Schedules that ran at a time when all that the scenario does to gateways was over. */
    SCHEDULES_GOING("Endless schedules that ran when all that the scenario does was over, at each of their devices"),
    /** That did not. */
    SCHEDULES_STOPPED("Endless schedules that did not run any more when all that the scenario does was over"),
    /** Without a whole time then, or whose device was not connected. */
    SCHEDULES_UNJUDGED("Endless schedules of which nobody can say whether they went on to the end"),

    /** Requests of the gateway's outlet that the receiver of the run got; times that it found records in its topic. */
    UPLINK_REQUESTS("Requests of the gateway's outlet that the run's receiver got, or reads of its topic"),
    /** Of them those that it refused, answered late or not at all: the scenario's plan has it. */
    UPLINK_DISTURBED("Requests of the gateway's outlet that were refused, held or not answered by plan"),
    /** Of them those without a valid signature. */
    UPLINK_UNSIGNED("Requests of the gateway's outlet without a valid signature"),
    /** Of them those that are no batch of CloudEvents; records of a topic that are none. */
    UPLINK_MALFORMED("Requests or records of the gateway's outlet that are no CloudEvents"),
    /** Times that the receiver could not read its topic. */
    UPLINK_UNREADABLE("Times that the run's receiver could not read its topic"),
    /** Events taken from them, each id once. */
    UPLINK_EVENTS("Events that came out of the gateway, each id once"),
    /** Events whose id had come before: allowed, because an outlet delivers at least once. */
    UPLINK_REPEATED("Events that came out again under the same event id"),
    /** Events of devices that are not of this run. */
    UPLINK_OTHERS("Events of devices that are not of this run"),
    /** Events that the gateway told to be missing. */
    UPLINK_GAPS("Events that the gateway told to be missing"),
    /** Acknowledged messages that came out. */
    UPLINK_CAME("Acknowledged messages that came out of the gateway"),
    /** Acknowledged messages that never came out. */
    UPLINK_LOST("Acknowledged messages that never came out of the gateway"),
    /** Messages that came out again under another event id: allowed. */
    UPLINK_DOUBLED("Messages that came out again under another event id"),
    /** Messages that came out with other bytes, or that nobody sent. */
    UPLINK_CHANGED("Messages that came out changed, or that nobody sent"),
    /** Messages that came out behind one that was sent later on the same connection. */
    UPLINK_OUT_OF_ORDER("Messages that came out behind a later one of the same connection"),
    /** Acknowledged messages that were not waited for. */
    UPLINK_UNJUDGED("Acknowledged messages that were not waited for"),
    /** Devices that are connected and absent by the gateway's events, or the other way round, at the end. */
    PRESENCE_WRONG("Devices whose presence by the gateway's events was wrong at the end"),
    /** Connections whose end no event told, though a newer one of their device is there. */
    HOLDERS_STALE("Connections still open by the gateways' events beside a newer one of their device, at the end"),
    /** Devices welcomed with an epoch that is not larger than the one before. */
    EPOCHS_FALLEN("Welcomes with an epoch that is not larger than the device's one before"),
    /** Connections of which an event told that a newer one has taken their id over. */
    TAKEOVERS_TOLD("Connections told by an event as taken over"),
    /** Of them those taken over at another gateway. */
    TAKEOVERS_ELSEWHERE("Connections told by an event as taken over at another gateway"),
    /** Of them those without an event of the connection that took them over. */
    TAKEOVERS_UNTOLD("Connections told as taken over by one that no event tells of"),
    /** Ends of gateways that another gateway told. */
    NODES_DOWN("Ends of gateways that another gateway told"),
    /** The same, told once more. */
    NODES_DOWN_AGAIN("Ends of gateways that were told more than once"),
    /** Connections of such gateways that were told as lost. */
    NODE_LOST("Connections told as lost with their gateway by another gateway"),
    /** Devices whose presence was compared. */
    PRESENCE_JUDGED("Devices whose presence by the gateway's events was compared at the end"),

    /** Devices that fell silent or broke their promise otherwise, so that a close is due. */
    CONDEMNED("Devices that broke their promise, so that a close is due"),
    /** Of them closed as they should be. */
    DETECTED("Devices closed as they should be"),
    /** Of them closed with another code, or none. */
    WRONG_CODES("Devices closed with another code than they should be"),
    /** Devices closed for a silence they were allowed. */
    FALSE_KILLS("Devices closed while they kept their promise"),
    /** Devices that should have been closed and were not, or later than {@code missed-after}. */
    MISSED_KILLS("Devices that should have been closed and were not, or only after missed-after"),
    /** Of them those that were closed all the same, later than {@code missed-after}. */
    CLOSED_AFTER_MISSED("Missed kills that were closed all the same, after missed-after"),
    /** Closes seen beyond the limit only because the generator, or its whole machine, stood still. */
    LATENESS_EXCUSED("Closes seen too late only because the generator itself, or its machine, stood still"),
    /** Of them those whose connection the scenario itself broke before their deadline. */
    EXCUSED("Devices that broke their promise and whose connection the scenario broke first"),
    /** Devices not watched to their deadline. */
    UNJUDGED("Devices not watched to their deadline"),
    /** Devices that hung up for a breach of the wire document before their deadline. */
    BROKEN_OFF("Devices that broke their promise and whose connection a breach of the wire document ended first"),
    /** Closes for which the generator's own lateness may be to blame. */
    OWN_FAULTS("Devices closed after the generator itself was late"),
    /** Sockets not closed after CLOSE. */
    LEFT_OPEN("Sockets left open after CLOSE"),
    /** Breaches of the wire document. */
    VIOLATIONS("Breaches of the wire document by the gateway"),

    /** Second connections welcomed under an id that had one. */
    TAKEOVERS("Ids taken over by a newer connection"),
    /** Of them where the older one was closed with 4409 and the newer one lived. */
    TAKEOVERS_RIGHT("Takeovers done right"),
    /** Of them where it was not, or the newer one was closed. */
    TAKEOVERS_WRONG("Takeovers done wrong"),
    /** Of them where only the older one's close came later than {@code missed-after}. */
    TAKEOVERS_LATE("Takeovers in which the older connection was closed too late"),

    /** Devices that at the end had waited for longer than an answer may take. */
    WAITING("Devices still waiting to be welcomed at the end"),
    /** Of them those for whom, and behind whom, the gateway had long stopped welcoming anybody. */
    NEVER_WELCOMED("Devices never welcomed by a gateway that had stopped welcoming"),
    /** Of those the ones whose connection it had accepted. */
    ACCEPTED_ONLY("Devices whose connection was accepted by a gateway that had stopped welcoming"),
    /** Devices not begun because so many before them still waited. */
    HELD_BACK("Devices not begun because too many before them waited to be welcomed"),
    /** Devices with a wrong credential that were refused. */
    AUTH_REFUSED("Devices with a wrong credential that were refused as they should be"),
    /** The same, with another answer than is due. */
    AUTH_REFUSED_WRONG("Devices with a wrong credential that were refused with another answer than is due"),
    /** Devices with a wrong credential that were welcomed. */
    AUTH_ADMITTED("Devices with a wrong credential that were welcomed"),
    /** Connections of devices with a good credential that were refused for it. */
    AUTH_GOOD_REFUSED("Connections refused for a credential that was good"),
    /** Of devices that the scenario kept the gateway from deciding about. */
    AUTH_UNDECIDED("Connections refused because nobody could decide, as the scenario has it"),
    /** Warnings that a token expires. */
    AUTH_WARNED("Warnings that a token expires"),
    /** Of them those at the wrong time, or that tell another time than is left; and answers that do. */
    AUTH_WARNED_WRONG("Warnings at the wrong time, and warnings and answers that tell a wrong one"),
    /** Devices closed for an expired token without a warning before. */
    AUTH_UNWARNED("Devices closed for an expired token that understand warnings and had none"),
    /** Newer tokens sent. */
    AUTH_RENEWALS("Newer tokens sent"),
    /** Of them accepted. */
    AUTH_RENEWED("Newer tokens that were accepted"),
    /** Of them refused. */
    AUTH_RENEWALS_REFUSED("Newer tokens that were refused, and were good"),
    /** Of them those that nobody could check. */
    AUTH_RENEWALS_UNAVAILABLE("Newer tokens that nobody could check when they came"),
    /** Of them those that were not answered. */
    AUTH_RENEWALS_IGNORED("Newer tokens that were not answered in time"),
    /** Devices closed when their token expired. */
    AUTH_EXPIRED("Devices closed for their expired token, as they should be"),
    /** Devices closed before. */
    AUTH_EXPIRED_EARLY("Devices closed as expired while the token in force was good"),
    /** Devices closed later than {@code missed-after}. */
    AUTH_EXPIRED_LATE("Devices closed for their expired token only after missed-after"),
    /** Devices closed with another code. */
    AUTH_EXPIRED_WRONG("Devices whose token had expired that were closed with another code"),
    /** Devices not closed. */
    AUTH_NEVER_EXPIRED("Devices whose token expired and that were not closed"),
    /** Devices with an open connection that keep their promise, at the end. */
    LIVE_AT_END("Live devices connected at the end"),
    /** Devices with an unanswered heartbeat. */
    DEVICES_UNANSWERED("Devices with heartbeats that were not answered in time");

    private final String help;

    Count(String help) {
        this.help = help;
    }

    /** One line for people. */
    public String help() {
        return help;
    }

    /** The name in JSON and metrics: lower case with underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The count of this label; empty when there is none. */
    public static Optional<Count> labelled(String label) {
        return Arrays.stream(values())
                .filter(count -> count.label().equals(label))
                .findFirst();
    }
}
