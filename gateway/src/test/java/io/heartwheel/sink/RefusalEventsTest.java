package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.ConnectionEvent.Refused;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Events;
import io.heartwheel.event.Fact;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A maximum number of events a second for each reason, and all of them counted. */
class RefusalEventsTest {
    private final List<Refused> published = new ArrayList<>();

    private final RefusalEvents events = new RefusalEvents(
            new EventSink() {
                @Override
                public void publish(Fact event) {
                    published.add((Refused) event);
                }

                @Override
                public void publish(ConnectionEvent.Message message, Reply reply) {
                    throw new AssertionError("nobody sends");
                }

                @Override
                public void close() {}
            },
            3);

    private void refuse(CloseReason reason, int times) {
        for (int i = 0; i < times; i++) {
            events.closed(Events.evidence("d" + i, reason, false, i));
        }
    }

    private static String words(Refused event) {
        return event.evidence().claimedDevice() + " " + event.evidence().reason() + " +" + event.unreported();
    }

    @Test
    void closed_moreThanMayBeTold_areCountedInOneMore() {
        refuse(CloseReason.UNAUTHORIZED, 6_447);
        refuse(CloseReason.TLS_FAILED, 2);
        events.tell();
        events.tell();

        assertEquals(
                "d0 UNAUTHORIZED +0, d1 UNAUTHORIZED +0, d2 UNAUTHORIZED +0, d0 TLS_FAILED +0, d1 TLS_FAILED +0,"
                        + " d6446 UNAUTHORIZED +6443",
                published.stream().map(RefusalEventsTest::words).collect(Collectors.joining(", ")));
    }

    @Test
    void closed_nextSecond_areToldAgain() {
        refuse(CloseReason.UNAUTHORIZED, 3);
        events.tell();
        refuse(CloseReason.UNAUTHORIZED, 3);
        events.tell();

        assertEquals(6, published.size());
        assertEquals(0, published.stream().mapToLong(Refused::unreported).sum());
    }

    @Test
    void closed_devicesAndThoseWhoLeft_areNoRefusals() {
        events.closed(Events.evidence(CloseReason.HEARTBEAT_TIMEOUT));
        refuse(CloseReason.PEER_CLOSED, 1);
        refuse(CloseReason.PEER_RESET, 1);
        refuse(CloseReason.SHUTDOWN, 1);
        events.tell();

        assertEquals(List.of(), published);
    }
}
