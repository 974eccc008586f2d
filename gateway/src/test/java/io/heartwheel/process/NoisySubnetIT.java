package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/** One noisy subnet does not delay detection elsewhere: the real process, devices at many addresses of the loopback network. */
@Tag("timed")
@Isolated
@ExtendWith(StallWitness.class)
class NoisySubnetIT {
    private static final int LIVE = 840;
    private static final int DYING = 60;
    private static final int NOISY = 400;
    /** So that who is held back is held beyond everything else that may take time here. */
    private static final String PATIENCE = "60s";

    @Test
    void silence_ofThreeInTenInOneSubnet_leavesEverybodyElseTheirDeadlines() throws Exception {
        try (GatewayProcess gateway =
                        FaultTrial.setup().set("breaker.patience", PATIENCE).start();
                HerdProcess others = new HerdProcess(
                        Herd.Settings.of(gateway.tcp(), "others").from("127.1.0.1", LIVE + DYING));
                HerdProcess noisy =
                        new HerdProcess(Herd.Settings.of(gateway.tcp(), "noisy").from("127.9.9.1", NOISY / 2))) {
            others.connect(LIVE + DYING);
            noisy.connect(NOISY);
            noisy.silence(0, NOISY);
            // those who died before half of the subnet had were closed as ever
            Await.until(
                    "the noisy ones are held back",
                    () -> gateway.metrics().sum("heartwheel_breaker_suspects") >= NOISY / 4.0);
            others.silence(LIVE, DYING);
            Await.until("the others' dead are closed", () -> others.count().silent() == 0);

            JsonNode incident = gateway.ask("/v1/breaker").get("current");
            assertEquals("[\"subnet 127.9.9.0/24\"]", incident.get("scopes").toString(), incident::toString);
            assertTrue(
                    incident.get("expired").asInt()
                            <= incident.get("connections").asInt(),
                    incident::toString);
            FaultTrial.verdict("beside a noisy subnet", others.reports(), Contract.with(), LIVE);
            assertTrue(noisy.count().silent() >= NOISY / 4, "the noisy ones are held back still");
        }
    }
}
