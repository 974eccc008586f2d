/** The server that the gateway is compared with. Not on a floor: no code of the gateway imports it, and it imports none. */
@NullMarked
package io.heartwheel.baseline;

import org.jspecify.annotations.NullMarked;
