/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

/**
 * Marks a JSON array or object whose children are fetched when a program looks at them, and are not
 * held by it. Whatever measures or prints memory must not walk through its children.
 */
public interface LazyJsonContainer {}
