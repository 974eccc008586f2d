package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;

/** Scenarios for tests that connect nowhere. */
public final class TestScenarios {

    private TestScenarios() {}

    /** A scenario with one target, unless the text has its own. */
    public static Scenario of(String text) {
        return ScenarioReader.read("targets = [{ address = \"127.0.0.1:7070\" }]\n" + text, "test");
    }
}
