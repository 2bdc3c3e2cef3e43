/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

/**
 * A run's state and how far it goes.
 *
 * @param state {@link dev.baton.protocol.state.RunState} as JSON
 * @param position of the last event folded; 0 when there was none
 */
public record Folded(byte[] state, long position) {}
