package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Behaviour;
import java.util.function.Supplier;

/**
 * Devices that do the same.
 *
 * @param label name of the behaviour
 * @param weight share of the devices, against the other groups' weights
 * @param behaviour makes one object for each event loop
 */
public record Group(String label, double weight, Supplier<Behaviour> behaviour) {}
