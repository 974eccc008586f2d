package io.heartwheel.admin;

import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.Jobs;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Parts of the gateway that know groups and bring messages to many devices. Any thread.
 *
 * @param members of groups
 * @param jobs messages to many
 * @param maxAge how long a message is kept on the disk at most
 * @param fleet messages to many of all gateways; null: this one is alone
 */
public record GroupPorts(GroupMembers members, Jobs jobs, Supplier<Duration> maxAge, @Nullable FleetJobs fleet) {}
