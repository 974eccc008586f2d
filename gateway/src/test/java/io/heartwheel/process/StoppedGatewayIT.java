package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stopped gateway, as in a long pause of its virtual machine or host: live devices are not closed for that. That is not the devices' fault. */
@Execution(ExecutionMode.CONCURRENT)
class StoppedGatewayIT {
    private static final int DEVICES = 400;
    private static final int BEATS = 4;
    private static final int SETTING_UP = 100;
    private static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void stop_longerThanTheHeartbeat_closesNoLiveDevice(String kind) throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("transport.kind", kind)
                .set("heartbeat.interval", "2s", "heartbeat.grace", "1.5", "heartbeat.probe", "false")
                .start()) {
            List<WireClient> devices = new ArrayList<>();
            long beatNanos = System.nanoTime();
            for (int i = 0; i < DEVICES; i++) {
                devices.add(WireClient.hello(gateway.tcp(), "d" + i));
                // a busy machine may take its time to connect them all
                if (System.nanoTime() - beatNanos > BEAT_NANOS) {
                    beatNanos = System.nanoTime();
                    beat(devices, SETTING_UP);
                }
            }
            beat(devices, SETTING_UP);
            gateway.signal("STOP");
            // one beat a second, as they promised twice over; the last a second before the end of the stop
            for (int beat = 0; beat < BEATS; beat++) {
                beat(devices, beat);
                TimeUnit.SECONDS.sleep(1);
            }
            gateway.signal("CONT");
            for (WireClient device : devices) {
                WireFrame frame = device.next(WireFrame.PONG);
                while (frame.payload().length == 0 || frame.payload()[0] != BEATS - 1) {
                    frame = device.next(WireFrame.PONG);
                }
            }
            assertEquals(0, gateway.log(" ERROR ").size());
            for (WireClient device : devices) {
                device.close();
            }
            assertTrue(gateway.isAlive());
        }
    }

    private static void beat(List<WireClient> devices, int mark) throws IOException {
        for (WireClient device : devices) {
            device.ping((byte) mark);
        }
    }
}
