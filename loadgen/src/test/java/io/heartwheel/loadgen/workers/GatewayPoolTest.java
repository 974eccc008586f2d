package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gateways by their metrics. */
final class GatewayPoolTest {

    @ParameterizedTest
    @CsvSource({
        "heartwheel_cluster_reachable 0.0,true",
        "heartwheel_cluster_reachable 1.0,false",
        "heartwheel_up 0.0,false"
    })
    void isAlone_gatewayOfAFleetThatHasNotReachedIt(String line, boolean alone) {
        assertEquals(alone, GatewayPool.isAlone("# HELP heartwheel_cluster_reachable 0\n" + line + "\nx 0.0\n"));
    }
}
