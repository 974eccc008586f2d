/**
 * Messages to many devices at once, to all of a group or to all: jobs, and the members of groups.
 *
 * <p>Floor 3, on {@code push}.
 *
 * <pre>
 *   admin --broadcast--&gt; Jobs --one each--&gt; Job --slices, on the devices' loops--&gt; Pushes
 *                          |                 |
 *                          |                 +-- whom it is for: GroupMembers, the API's and those of grants
 *                          +-- progress, outcomes, cancel
 * </pre>
 */
@NullMarked
package io.heartwheel.push.group;

import org.jspecify.annotations.NullMarked;
