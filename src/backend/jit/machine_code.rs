//! The assembler: a module under construction, and the machine code that it becomes.
//!
//! If functions are large, many are built first and then compiled on all cores. The code does not depend on the number
//! of threads.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, FuncRef, Signature, types::I64};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, ModuleReloc, default_libcall_names};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{CodeListing, JitError, JitOptions};
use bouton_base::cancel;

/// The address range that one module reserves: near enough for short calls, and without memory until it is used.
const RESERVED_BYTES: usize = 256 << 20;

/// The number of values above which a function is compiled by linear-time methods: the better ones take superlinear
/// time, and there they save little.
pub(super) const MAX_OPTIMISED_VALUES: usize = 10_000;

/// The same for the values of a function in Cranelift's intermediate representation, which show only once it is built:
/// values that are computed anew for each lane are many more there than in the circuit.
const MAX_OPTIMISED_FUNCTION_VALUES: usize = 20_000;

/// The size of the largest function, in values, from which on functions are queued for compilation by all threads.
const MIN_PARALLEL_VALUES: usize = 2_000;

/// The number of queued values that triggers compilation, because queued functions take much memory.
const MAX_QUEUED_VALUES: usize = 1_000_000;

/// A module under construction.
pub(super) struct Assembler {
    module: JITModule,
    builder: FunctionBuilderContext,
    /// The queued functions; then their number of values, and the number that triggers compilation.
    functions: Vec<QueuedFunction>,
    values: usize,
    waiting: usize,
    bytes: usize,
    listing: Option<CodeListing>,
    started: Instant,
}

/// A function that was built.
struct QueuedFunction {
    id: FuncId,
    context: Context,
}

impl QueuedFunction {
    /// Returns true if only linear-time methods are fast enough.
    fn is_long(&self) -> bool {
        self.context.func.dfg.num_values() > MAX_OPTIMISED_FUNCTION_VALUES
    }

    fn compile(&mut self, isa: &dyn TargetIsa) -> Result<(), JitError> {
        match self.context.compile(isa, &mut ControlPlane::default()) {
            Ok(_) => Ok(()),
            Err(error) => Err(JitError::Compile(format!("{:?}", error.inner))),
        }
    }
}

/// Compiled functions. They may be called only while this value lives.
pub(super) struct MachineCode {
    /// The module, until it is freed. The lock only makes the type `Sync`: nothing changes the module meanwhile.
    module: Mutex<Option<JITModule>>,
    /// The time that compilation took.
    pub time: Duration,
    /// The bytes of machine code.
    pub bytes: usize,
    /// The functions as text, if requested.
    pub listing: Option<CodeListing>,
}

/// Returns the code generator for this processor, with the optimiser, or with linear-time methods alone.
fn target(optimise: bool, linear: bool) -> Result<OwnedTargetIsa, JitError> {
    let mut flags = settings::builder();
    let chosen = [
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("opt_level", if optimise && !linear { "speed" } else { "none" }),
        ("regalloc_algorithm", if linear { "single_pass" } else { "backtracking" }),
    ];
    for (name, value) in chosen {
        flags.set(name, value).map_err(|error| JitError::Machine(error.to_string()))?;
    }
    let isa = cranelift_native::builder().map_err(|error| JitError::Machine(error.to_owned()))?;
    isa.finish(settings::Flags::new(flags)).map_err(|error| JitError::Machine(error.to_string()))
}

/// The functions that a function under construction calls.
pub(super) struct FunctionRefs<'a> {
    module: &'a mut JITModule,
    known: FxHashMap<FuncId, FuncRef>,
}

impl FunctionRefs<'_> {
    /// Imports a declared function for a call here.
    pub fn get(&mut self, b: &mut FunctionBuilder, function: FuncId) -> FuncRef {
        let FunctionRefs { module, known } = self;
        *known.entry(function).or_insert_with(|| module.declare_func_in_func(function, b.func))
    }
}

impl Assembler {
    /// Returns an empty module for functions of up to `values` values.
    pub fn new(options: &JitOptions, values: usize) -> Result<Assembler, JitError> {
        let long = values > MAX_OPTIMISED_VALUES;
        let isa = target(options.optimise, long)?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        let arena = ArenaMemoryProvider::new_with_size(RESERVED_BYTES);
        builder.memory_provider(Box::new(arena.map_err(|error| JitError::Memory(error.to_string()))?));
        Ok(Assembler {
            module: JITModule::new(builder),
            builder: FunctionBuilderContext::new(),
            functions: Vec::new(),
            values: 0,
            waiting: if values < MIN_PARALLEL_VALUES { 0 } else { MAX_QUEUED_VALUES },
            bytes: 0,
            listing: options.listing.then(CodeListing::default),
            started: Instant::now(),
        })
    }

    /// Returns the signature of a function with these numbers of words as parameters and results, as `extern "C"` in
    /// Rust.
    pub fn signature(&self, params: usize, results: usize) -> Signature {
        let mut signature = self.module.make_signature();
        signature.params = vec![AbiParam::new(I64); params];
        signature.returns = vec![AbiParam::new(I64); results];
        signature
    }

    /// Declares a function, which may be called before its definition.
    pub fn declare(&mut self, name: &str, params: usize, results: usize) -> Result<FuncId, JitError> {
        let signature = self.signature(params, results);
        Ok(self.module.declare_function(name, Linkage::Local, &signature)?)
    }

    /// Defines a function. `build` starts in the entry block with the parameters.
    pub fn define(
        &mut self,
        function: FuncId,
        build: impl FnOnce(&mut FunctionBuilder, &mut FunctionRefs),
    ) -> Result<(), JitError> {
        // Compilation cannot be cancelled.
        cancel::poll();
        let mut context = Context::new();
        context.func.signature = self.module.declarations().get_function_decl(function).signature.clone();
        context.set_disasm(self.listing.is_some());
        let frontend = self.module.target_config();
        let mut b = FunctionBuilder::new(&mut context.func, &mut self.builder);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        build(&mut b, &mut FunctionRefs { module: &mut self.module, known: FxHashMap::default() });
        b.seal_all_blocks();
        b.finalize(frontend);
        if let Some(listing) = &mut self.listing {
            let name = name_of(&self.module, function);
            listing.clif += &format!("; {name}\n{}\n", context.func.display());
        }
        self.values += context.func.dfg.num_values();
        self.functions.push(QueuedFunction { id: function, context });
        if self.values > self.waiting { self.compile() } else { Ok(()) }
    }

    /// Compiles the queued functions.
    fn compile(&mut self) -> Result<(), JitError> {
        let mut functions = std::mem::take(&mut self.functions);
        let has_long = functions.iter().any(QueuedFunction::is_long);
        let linear = has_long.then(|| target(false, true)).transpose()?;
        let isa = self.module.isa();
        let isa_of =
            |function: &QueuedFunction| linear.as_deref().filter(|_| function.is_long()).unwrap_or(isa);
        self.values = 0;
        let compiled: Vec<Result<(), JitError>> = if let [function] = &mut functions[..] {
            vec![function.compile(isa_of(function))]
        } else {
            functions
                .par_iter_mut()
                .with_max_len(1)
                .map(|function| function.compile(isa_of(function)))
                .collect()
        };
        compiled.into_iter().collect::<Result<(), JitError>>()?;
        for QueuedFunction { id, context } in functions {
            let code = context.compiled_code().expect("a compiled function");
            let relocs = code.buffer.relocs().iter();
            let relocs: Vec<ModuleReloc> =
                relocs.map(|reloc| ModuleReloc::from_mach_reloc(reloc, &context.func, id)).collect();
            let alignment = u64::from(code.buffer.alignment);
            self.module.define_function_bytes(id, alignment, code.code_buffer(), &relocs)?;
            self.bytes += code.code_buffer().len();
            if let (Some(listing), Some(assembly)) = (&mut self.listing, &code.vcode) {
                listing.asm += &format!("; {}\n{assembly}\n", name_of(&self.module, id));
            }
        }
        Ok(())
    }

    /// Makes the functions callable. Afterwards their code can no longer be written.
    pub fn finish(mut self) -> Result<MachineCode, JitError> {
        self.compile()?;
        self.module.finalize_definitions()?;
        Ok(MachineCode {
            module: Mutex::new(Some(self.module)),
            time: self.started.elapsed(),
            bytes: self.bytes,
            listing: self.listing,
        })
    }
}

impl MachineCode {
    /// Returns the address of a function.
    pub fn address(&self, function: FuncId) -> *const u8 {
        let module = self.module.lock().expect("nothing panics with the lock");
        module.as_ref().expect("code that was not dropped").get_finalized_function(function)
    }
}

impl Drop for MachineCode {
    fn drop(&mut self) {
        if let Some(module) = self.module.get_mut().ok().and_then(Option::take) {
            // SAFETY: every caller of a function of this module borrows the machine that owns it, so none runs now and
            // none is called later.
            unsafe { module.free_memory() };
        }
    }
}

impl From<ModuleError> for JitError {
    fn from(error: ModuleError) -> JitError {
        match error {
            ModuleError::Allocation { .. } => JitError::Memory(error.to_string()),
            _ => JitError::Compile(format!("{error:?}")),
        }
    }
}

fn name_of(module: &JITModule, function: FuncId) -> String {
    module.declarations().get_function_decl(function).linkage_name(function).into_owned()
}
