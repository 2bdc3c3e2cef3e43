/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Evaluates jq programs on JSON trees with a machine that counts every step and every byte, so that
 * time and memory are bounded for any program.
 */
@NullMarked
package dev.baton.protocol.jq;

import org.jspecify.annotations.NullMarked;
