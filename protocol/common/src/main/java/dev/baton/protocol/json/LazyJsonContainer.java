/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

/**
 * Marks a JSON array or object that loads its children on access and does not keep them in memory.
 * Code that measures or prints memory must not traverse its children.
 */
public interface LazyJsonContainer {}
